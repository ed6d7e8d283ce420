(module_definition . (module_binding . (module_name) @name) .) @definition.module
(module_definition (module_binding . (module_name) @name) @definition.module . "and")
(module_definition "and" . (module_binding . (module_name) @name) @definition.module)
(module_type_definition (module_type_name) @name) @definition.interface

(class_definition . (class_binding (class_name) @name) .) @definition.class
(class_definition (class_binding (class_name) @name) @definition.class)
(class_type_definition . (class_type_binding (class_type_name) @name) .) @definition.interface
(class_type_definition (class_type_binding (class_type_name) @name) @definition.interface)
(method_definition (method_name) @name) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field
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

(let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] . (parameter)) @definition.function
(let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] . (abstract_type)) @definition.function
(let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)]
  body: [(fun_expression) (function_expression)]) @definition.function
; let%expect_test "..." = ...
(let_binding pattern: (string) @name) @definition.function
(value_definition (attribute_id) . (let_binding pattern: (any_pattern) @name)) @definition.function
(external [(value_name) @name (parenthesized_operator (_) @name)]) @definition.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)) @definition.function
(value_specification
  [(value_name) @name (parenthesized_operator (_) @name)]
  type: (polymorphic_type (function_type))) @definition.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @definition.constant

; with its `let`, where no `and` follows
(compilation_unit (value_definition
  . (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)]) .) @definition.constant)
(compilation_unit (value_definition
  . (attribute) . (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)]) .) @definition.constant)
(structure (value_definition
  . (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)]) .) @definition.constant)
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @definition.constant . "and"))
(compilation_unit (value_definition "and" . (let_binding pattern: (value_name) @name) @definition.constant))
(compilation_unit (value_definition (let_binding
  pattern: (parenthesized_pattern (tuple_pattern (value_name) @name))) @definition.constant))
(value_definition . (attribute_id) . (let_binding pattern: (string) @name) .) @definition.function

(comment) @comment
(value_definition (attribute) @decorator)

(open_module) @import
(include_module) @import
(open_module_signature) @import
(include_module_type) @import

(application_expression function: (value_path [(value_name) @call (parenthesized_operator (_) @call)]))
(method_invocation method: (method_name) @call)
(new_expression (class_path (class_name) @call))
(infix_expression operator: (rel_operator) @_pipe right: (value_path (value_name) @call) (#eq? @_pipe "|>"))
(infix_expression left: (value_path (value_name) @call) operator: (concat_operator) @_apply (#eq? @_apply "@@"))
