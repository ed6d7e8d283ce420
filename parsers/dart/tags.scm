(class_definition name: (identifier) @name) @definition.class
(class_definition (mixin_application_class . (identifier) @name)) @definition.class
(mixin_declaration (identifier) @name) @definition.trait
(enum_declaration name: (identifier) @name) @definition.enum
(extension_declaration name: (identifier) @name) @definition.extension
(extension_declaration !name class: (type_identifier) @name) @definition.extension
(extension_type_declaration name: (identifier) @name) @definition.class
(type_alias "typedef" . (type_identifier) @name . (type_parameters)? . "=") @definition.type
(type_alias (type_identifier) @name . (type_parameters)? . (formal_parameter_list)) @definition.type

; a body stands beside its signature
(function_signature name: (identifier) @name) @definition.function
(getter_signature name: (identifier) @name) @definition.function
(setter_signature name: (identifier) @name) @definition.function
(operator_signature [(binary_operator) (tilde_operator) "[]" "[]="] @name) @definition.function
(constructor_signature . name: (identifier) @name . parameters: (_)) @definition.function
(constructor_signature name: (identifier) . "." . name: (identifier) @name) @definition.function
(constant_constructor_signature (const_builtin) . (identifier) @name . (formal_parameter_list)) @definition.function
(constant_constructor_signature "." . (identifier) @name) @definition.function
(factory_constructor_signature "factory" . (identifier) @name . (formal_parameter_list)) @definition.function
(factory_constructor_signature "." . (identifier) @name) @definition.function
(redirecting_factory_constructor_signature "factory" . (identifier) @name . (formal_parameter_list)) @definition.function
(redirecting_factory_constructor_signature "." . (identifier) @name . (formal_parameter_list)) @definition.function

(lambda_expression parameters: (function_signature name: (identifier) @name) body: (function_body) @body) @definition.function
((function_signature name: (identifier) @name) @definition.function . (function_body) @body)
((getter_signature name: (identifier) @name) @definition.function . (function_body) @body)
((setter_signature name: (identifier) @name) @definition.function . (function_body) @body)
((method_signature (function_signature name: (identifier) @name)) @definition.function . (function_body) @body)
((method_signature (getter_signature name: (identifier) @name)) @definition.function . (function_body) @body)
((method_signature (setter_signature name: (identifier) @name)) @definition.function . (function_body) @body)
((method_signature (operator_signature [(binary_operator) (tilde_operator) "[]" "[]="] @name)) @definition.function . (function_body) @body)
((method_signature (constructor_signature . name: (identifier) @name . parameters: (_))) @definition.function . (function_body) @body)
((method_signature (constructor_signature name: (identifier) . "." . name: (identifier) @name)) @definition.function . (function_body) @body)
((method_signature (factory_constructor_signature "factory" . (identifier) @name . (formal_parameter_list))) @definition.function
  . (function_body) @body)
((method_signature (factory_constructor_signature "." . (identifier) @name)) @definition.function . (function_body) @body)

(declaration (function_signature name: (identifier) @name)) @definition.function
(declaration (getter_signature name: (identifier) @name)) @definition.function
(declaration (constructor_signature . name: (identifier) @name . parameters: (_))) @definition.function
(declaration (constructor_signature name: (identifier) . "." . name: (identifier) @name)) @definition.function

; a function bound to a name
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name . (function_expression body: (_) @body)))) @definition.function
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name . (function_expression body: (_) @body)))) @definition.function
(program (initialized_identifier_list (initialized_identifier . (identifier) @name . (function_expression body: (_) @body))) @definition.function)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name . (function_expression body: (_) @body))) @definition.function)

(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @definition.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.field
(enum_constant name: (identifier) @name) @definition.field
(representation_declaration name: (identifier) @name @definition.field)
(program (initialized_identifier_list (initialized_identifier . (identifier) @name)) @definition.constant)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @definition.constant)

; test('finds a parcel', () { ... })
(expression_statement
  . (identifier) @_block
  . (selector (argument_part (arguments . (argument (string_literal) @name) . (argument (function_expression body: (_) @body)))))
  (#any-of? @_block "group" "test" "testWidgets" "blocTest" "integrationTest")) @definition.function

(comment) @comment
(documentation_comment) @comment
(annotation) @decorator

(import_or_export) @import
(part_directive) @import
(part_of_directive) @import

((identifier) @call . (selector (argument_part)))
((selector [
  (unconditional_assignable_selector (identifier) @call)
  (conditional_assignable_selector (identifier) @call)
]) . (selector (argument_part)))
(cascade_section (cascade_selector (identifier) @call) . (argument_part))
(new_expression (type_identifier) @call)
(const_object_expression (type_identifier) @call)
