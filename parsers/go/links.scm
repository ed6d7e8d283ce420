(source_file (package_clause (package_identifier) @package))

; Imports.
(import_spec !name path: (_) @module @alias)
(import_spec name: (package_identifier) @alias path: (_) @module)
(import_spec name: (blank_identifier) path: (_) @module)
(import_spec name: (dot) @all path: (_) @module)

; What a struct or interface embeds.
(field_declaration !name type: [(type_identifier) (qualified_type) (generic_type type: (_))] @inherit)
(interface_type (type_elem . [(type_identifier) (qualified_type)] @inherit .))

; Types.
(type_identifier) @type

; Declared types.
(parameter_declaration name: (identifier) @variable type: (_) @typed)
(field_declaration name: (field_identifier) @variable type: (_) @typed)
(var_spec name: (identifier) @variable type: (_) @typed)
(function_declaration result: [(type_identifier) (qualified_type) (pointer_type) (slice_type) (map_type) (generic_type) (array_type) (channel_type)] @returns)
(method_declaration result: [(type_identifier) (qualified_type) (pointer_type) (slice_type) (map_type) (generic_type) (array_type) (channel_type)] @returns)
(method_elem result: [(type_identifier) (qualified_type) (pointer_type) (slice_type) (map_type) (generic_type) (array_type)] @returns)
(function_declaration result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_declaration result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_elem result: (parameter_list . (parameter_declaration type: (_) @returns)))
(function_declaration result: (parameter_list . (parameter_declaration) . (parameter_declaration type: (_) @second_result)))
(method_declaration result: (parameter_list . (parameter_declaration) . (parameter_declaration type: (_) @second_result)))
(method_elem result: (parameter_list . (parameter_declaration) . (parameter_declaration type: (_) @second_result)))

; What a variable is made of. Of several results the first two are told apart; the others are errors and flags.
((short_var_declaration left: (expression_list . (identifier) . (identifier) @variable) right: (expression_list . (call_expression function: (_) @second) .))
  (#not-match? @variable "^(err|ok|_)$"))
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (call_expression
  function: (identifier) @_new arguments: (argument_list . [(type_identifier) (qualified_type)] @typed .))) (#eq? @_new "new"))
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (call_expression function: (_) @called)))
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (composite_literal type: (_) @typed)))
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (unary_expression operand: (composite_literal type: (_) @typed))))
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . [(identifier) (selector_expression)] @valued))
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (unary_expression operand: [(identifier) (selector_expression)] @valued)))
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (type_assertion_expression type: (_) @typed)))
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (index_expression operand: (_) @element)))
(var_spec name: (identifier) @variable value: (expression_list . (call_expression function: (_) @called)))
(var_spec name: (identifier) @variable value: (expression_list . (composite_literal type: (_) @typed)))
(var_spec name: (identifier) @variable value: (expression_list . (unary_expression operand: (composite_literal type: (_) @typed))))
(var_spec name: (identifier) @variable value: (expression_list . [(identifier) (selector_expression)] @valued))
(range_clause left: (expression_list (identifier) . (identifier) @variable) right: (_) @element)

; Names that hide others.
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local !type)
(const_spec name: (identifier) @local)
(type_switch_statement alias: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))

; Values.
(selector_expression field: (field_identifier) @reference)
(keyed_element . (literal_element (identifier)) (literal_element (identifier) @reference))
(keyed_element . (literal_element [(interpreted_string_literal) (raw_string_literal) (int_literal) (rune_literal)
    (selector_expression)]) (literal_element (identifier) @reference))
(literal_value . (literal_element (identifier) @reference))
(literal_value (literal_element) (literal_element (identifier) @reference))
(argument_list (identifier) @reference)
(expression_list (identifier) @reference)
(binary_expression (identifier) @reference)
(unary_expression (identifier) @reference)
(index_expression (identifier) @reference)
(slice_expression (identifier) @reference)
(send_statement (identifier) @reference)

; Constants that addresses begin with.
((const_spec name: (identifier) @constant value: (expression_list . (interpreted_string_literal) @address))
  (#match? @address "^\"/"))
