(source_file (package_clause (package_identifier) @name)) @container

; A declaration of one thing extends over its keyword, one of a group over its own lines.
((type_declaration . (type_spec name: (type_identifier) @name type: (struct_type))) @definition.struct
  (#not-match? @definition.struct "^type\\s*\\("))
((type_declaration . (type_spec name: (type_identifier) @name type: (interface_type))) @definition.interface
  (#not-match? @definition.interface "^type\\s*\\("))
((type_declaration . [(type_spec name: (type_identifier) @name) (type_alias name: (type_identifier) @name)]) @definition.type
  (#not-match? @definition.type "^type\\s*\\("))
(type_declaration "(" (type_spec name: (type_identifier) @name type: (struct_type)) @definition.struct)
(type_declaration "(" (type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface)
(type_declaration "(" [(type_spec name: (type_identifier) @name) (type_alias name: (type_identifier) @name)] @definition.type)

(type_spec type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @definition.field)))
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @definition.method))

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @scope))
  name: (field_identifier) @name) @definition.method

(var_declaration . (var_spec name: (identifier) @name value: (expression_list . (func_literal body: (_) @body)))) @definition.function
(var_spec_list (var_spec name: (identifier) @name value: (expression_list . (func_literal body: (_) @body))) @definition.function)
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal body: (_) @body) .)) @definition.function

; Subtests and the blocks of Ginkgo are named by their text.
((call_expression
  function: [(identifier) @_run (selector_expression field: (field_identifier) @_run)]
  arguments: (argument_list . (interpreted_string_literal) @name (func_literal body: (_) @body))) @definition.function
  (#any-of? @_run "Run" "Describe" "DescribeTable" "Context" "When" "It" "Specify"))

((source_file (const_declaration . (const_spec (identifier) @name)) @definition.constant)
  (#not-match? @definition.constant "^const\\s*\\("))
(source_file (const_declaration "(" (const_spec (identifier) @name) @definition.constant))
((source_file (var_declaration . (var_spec name: (identifier) @name)) @definition.constant)
  (#not-eq? @name "_"))
((source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.constant)))
  (#not-eq? @name "_"))

(comment) @comment

(import_declaration) @import

(call_expression function: [
  (identifier) @call
  (selector_expression field: (field_identifier) @call)
  (type_instantiation_expression type: (type_identifier) @call)
  (index_expression operand: [(identifier) @call (selector_expression field: (field_identifier) @call)])
])
(type_conversion_expression type: (generic_type type: [(type_identifier) @call (qualified_type name: (type_identifier) @call)]))
