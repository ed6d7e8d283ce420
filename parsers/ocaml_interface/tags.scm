(module_definition . (module_binding . (module_name) @name) .) @definition.module
(module_definition (module_binding . (module_name) @name) @definition.module . "and")
(module_definition "and" . (module_binding . (module_name) @name) @definition.module)
(module_type_definition (module_type_name) @name) @definition.interface

(class_definition (class_binding (class_name) @name) @definition.class)
(class_definition . (class_binding (class_name) @name) .) @definition.class
(class_type_definition (class_type_binding (class_type_name) @name) @definition.interface)
(class_type_definition . (class_type_binding (class_type_name) @name) .) @definition.interface
(method_specification (method_name) @name) @definition.method
(instance_variable_specification (instance_variable_name) @name) @definition.field

(type_definition (type_binding name: (type_constructor) @name body: (record_declaration)) @definition.struct)
(type_definition (type_binding name: (type_constructor) @name body: (variant_declaration)) @definition.enum)
(type_definition (type_binding name: (type_constructor) @name body: (polymorphic_variant_type)) @definition.enum)
(type_definition (type_binding name: (type_constructor) @name) @definition.type)
(type_definition . (type_binding name: (type_constructor) @name) .) @definition.type
; type t += ...
(type_definition . (type_binding name: (type_constructor_path (type_constructor) @name)) .) @definition.extension
(exception_definition (constructor_declaration . (constructor_name) @name)) @definition.type
(constructor_declaration . (constructor_name) @name) @definition.field
(type_binding body: (polymorphic_variant_type (tag_specification . (tag) @name) @definition.field))
(field_declaration . (field_name) @name) @definition.field

(value_specification [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)) @definition.function
(value_specification
  [(value_name) @name (parenthesized_operator (_) @name)]
  type: (polymorphic_type (function_type))) @definition.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @definition.constant
(external [(value_name) @name (parenthesized_operator (_) @name)]) @definition.function

(comment) @comment

(open_module_signature) @import
(include_module_type) @import
