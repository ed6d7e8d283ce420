(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (user_type . (type_identifier) @name . (type_arguments)? .)) @definition.extension
(class_declaration declaration_kind: "extension"
  name: (user_type . (type_identifier) @scope (type_identifier)* @scope . (type_identifier) @name .)) @definition.extension
(class_declaration declaration_kind: "extension" name: [(array_type) (optional_type) (dictionary_type)] @name) @definition.extension
(protocol_declaration name: (type_identifier) @name) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

; the name of an operator is no named node
(function_declaration "func" . name: _ @name) @definition.function
(protocol_function_declaration "func" . name: _ @name) @definition.function
(init_declaration "init" @name) @definition.function
(deinit_declaration "deinit" @name) @definition.function
(subscript_declaration "subscript" @name) @definition.function
(subscript_declaration "subscript" @name (computed_property) @body) @definition.function
(macro_declaration "macro" . (simple_identifier) @name) @definition.macro

; a computed property is a function that is called without parentheses
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)) @definition.function)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)) @definition.function)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)) @definition.function)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) value: (lambda_literal) @body) @definition.function)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) value: (lambda_literal) @body) @definition.function)

(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(class_body (property_declaration name: (pattern (pattern (simple_identifier) @name))) @definition.field)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field
(enum_entry name: (simple_identifier) @name) @definition.field
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(source_file (property_declaration name: (pattern (pattern (simple_identifier) @name))) @definition.constant)

; describe("a parcel") { ... }
(call_expression
  (simple_identifier) @_block
  (call_suffix (value_arguments . (value_argument value: (line_string_literal) @name)) (lambda_literal) @body)
  (#any-of? @_block "describe" "context" "it" "fdescribe" "fcontext" "fit")) @definition.function

(comment) @comment
(multiline_comment) @comment
(modifiers (attribute) @decorator)

(import_declaration) @import

(call_expression . (simple_identifier) @call (call_suffix [(value_arguments "(") (lambda_literal)]))
(call_expression
  . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call))
  (call_suffix [(value_arguments "(") (lambda_literal)]))
(constructor_expression constructed_type: (user_type (type_identifier) @call .))
(macro_invocation . (simple_identifier) @call)
