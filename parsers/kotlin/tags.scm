(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name (enum_class_body)? @body) @definition.enum
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @definition.interface
(class_declaration name: (identifier) @name (class_body)? @body) @definition.class
(object_declaration name: (identifier) @name (class_body)? @body) @definition.class
(companion_object name: (identifier) @name (class_body)? @body) @definition.class
(type_alias type: (identifier) @name) @definition.type

(function_declaration name: (identifier) @name (function_body)? @body) @definition.function
(function_declaration (user_type) @scope . name: (identifier) @name) @definition.function
(function_declaration (nullable_type (user_type) @scope) . name: (identifier) @name) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.method

; An anonymous function bound to a name.
(property_declaration (variable_declaration . (identifier) @name) [(lambda_literal) (anonymous_function)]) @definition.function

(source_file (property_declaration (variable_declaration . (identifier) @name)) @definition.constant)
(property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name)) @definition.constant
(class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.field)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.field)
(property_declaration (user_type) @scope . (variable_declaration . (identifier) @name)) @definition.constant
(class_parameter ["val" "var"] . (identifier) @name) @definition.field
(enum_entry . (modifiers)? . (identifier) @name) @definition.field

; Tests of Kotest and Spek: test("name") { }, "name" { }
((call_expression
  (call_expression (identifier) @_block (value_arguments . (value_argument . (string_literal) @name)))
  (annotated_lambda) @body) @definition.module
  (#any-of? @_block "describe" "context" "given" "feature" "xdescribe" "xcontext"))
((call_expression
  (call_expression (identifier) @_block (value_arguments . (value_argument . (string_literal) @name)))
  (annotated_lambda) @body) @definition.function
  (#any-of? @_block "test" "it" "should" "scenario" "expect" "xtest" "xit"))
(call_expression . (string_literal) @name (annotated_lambda) @body) @definition.function

(line_comment) @comment
(block_comment) @comment
(annotation) @decorator

(import) @import

(call_expression . [(identifier) @call (navigation_expression (identifier) @call .)])
(infix_expression (_) . (identifier) @call . (_))
(delegation_specifier (constructor_invocation (user_type (identifier) @call .)))
(delegation_specifier (constructor_invocation (user_type (identifier) @call . (type_arguments))))
(callable_reference (identifier) @call .)
