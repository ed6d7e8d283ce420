; Imports.
(preproc_include path: [(string_literal) (system_lib_string)] @module)
((using_declaration [(identifier) (qualified_identifier)] @module) @all (#match? @all "^using\\s+namespace"))
((using_declaration (qualified_identifier) @use) @_using (#not-match? @_using "^using\\s+namespace"))

; Bases.
(base_class_clause [(type_identifier) (qualified_identifier)] @inherit)
(base_class_clause (template_type name: (_) @inherit))

; Declared types.
(type_identifier) @type
(function_definition declarator: (function_declarator parameters: (parameter_list
  (parameter_declaration type: (_) @typed declarator: (identifier) @variable))))
(function_definition declarator: (function_declarator parameters: (parameter_list
  (parameter_declaration type: (_) @typed declarator: (_ (identifier) @variable)))))
(function_definition declarator: (function_declarator parameters: (parameter_list
  (optional_parameter_declaration type: (_) @typed declarator: (identifier) @variable))))
(function_definition declarator: (function_declarator parameters: (parameter_list
  (optional_parameter_declaration type: (_) @typed declarator: (_ (identifier) @variable)))))
(function_definition declarator: (_ (function_declarator parameters: (parameter_list
  (parameter_declaration type: (_) @typed declarator: (identifier) @variable)))))
(function_definition declarator: (_ (function_declarator parameters: (parameter_list
  (parameter_declaration type: (_) @typed declarator: (_ (identifier) @variable))))))
(function_definition declarator: (_ (function_declarator parameters: (parameter_list
  (optional_parameter_declaration type: (_) @typed declarator: (identifier) @variable)))))
(function_definition declarator: (_ (function_declarator parameters: (parameter_list
  (optional_parameter_declaration type: (_) @typed declarator: (_ (identifier) @variable))))))
(lambda_expression declarator: (_ parameters: (parameter_list (parameter_declaration
  type: (_) @typed declarator: (identifier) @variable))))
(lambda_expression declarator: (_ parameters: (parameter_list (parameter_declaration
  type: (_) @typed declarator: (_ (identifier) @variable)))))
(field_declaration type: (_) @typed declarator: (field_identifier) @variable)
(field_declaration type: (_) @typed declarator: (pointer_declarator declarator: (field_identifier) @variable))
(field_declaration type: (_) @typed declarator: (reference_declarator (field_identifier) @variable))
((declaration type: (_) @typed declarator: (identifier) @variable) (#not-match? @typed "^auto"))
((declaration type: (_) @typed declarator: (pointer_declarator declarator: (identifier) @variable)) (#not-match? @typed "^auto"))
((declaration type: (_) @typed declarator: (init_declarator declarator: (identifier) @variable)) (#not-match? @typed "^auto"))
((declaration type: (_) @typed declarator: (init_declarator declarator: (_ (identifier) @variable))) (#not-match? @typed "^auto"))
((for_range_loop type: (_) @typed declarator: (_ (identifier) @variable)) (#not-match? @typed "^auto"))
((function_definition type: (_) @returns) (#not-match? @returns "^auto"))

; What a variable is made of.
(declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: (identifier) @variable value: (call_expression function: [(identifier) (field_expression) (qualified_identifier)] @called)))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: (_ (identifier) @variable) value: (call_expression function: [(identifier) (field_expression) (qualified_identifier)] @called)))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: [(identifier) @variable (_ (identifier) @variable)] value: (new_expression type: (_) @typed)))
((declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: (identifier) @variable
  value: (call_expression function: [
    (template_function name: (identifier) @_make arguments: (template_argument_list . (type_descriptor) @typed))
    (qualified_identifier name: (template_function name: (identifier) @_make arguments: (template_argument_list . (type_descriptor) @typed)))])))
  (#any-of? @_make "make_unique" "make_shared" "static_cast" "dynamic_cast"))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: [(identifier) @variable (_ (identifier) @variable)] value: [(identifier) (field_expression)] @valued))
(for_range_loop type: (placeholder_type_specifier) declarator: [(identifier) @variable (_ (identifier) @variable)] right: (_) @element)

; Names that hide others.
(parameter_declaration declarator: (identifier) @local)
(parameter_declaration declarator: (_ (identifier) @local))
(optional_parameter_declaration declarator: (identifier) @local)
(declaration declarator: (identifier) @local)
(declaration declarator: (_ (identifier) @local .))
(declaration declarator: (init_declarator declarator: (identifier) @local))
(declaration declarator: (init_declarator declarator: (_ (identifier) @local)))
(for_range_loop declarator: [(identifier) @local (_ (identifier) @local)])
(structured_binding_declarator (identifier) @local)

; Values.
(argument_list (qualified_identifier name: (identifier) @reference))
(pointer_expression argument: (qualified_identifier name: (identifier) @reference))
(assignment_expression right: (qualified_identifier name: (identifier) @reference))
(init_declarator value: (qualified_identifier name: (identifier) @reference))
(return_statement (qualified_identifier name: (identifier) @reference))
(binary_expression (qualified_identifier name: (identifier) @reference))
(case_statement value: (qualified_identifier name: (identifier) @reference))
(field_expression field: (field_identifier) @reference)
(argument_list (identifier) @reference)
(pointer_expression argument: (identifier) @reference)
(assignment_expression left: (identifier) @reference)
(assignment_expression right: (identifier) @reference)
(update_expression (identifier) @reference)
(conditional_expression (identifier) @reference)
(parenthesized_expression (identifier) @reference)
(cast_expression value: (identifier) @reference)
(init_declarator value: (identifier) @reference)
(initializer_list (identifier) @reference)
(initializer_pair value: (identifier) @reference)
(return_statement (identifier) @reference)
(binary_expression (identifier) @reference)
(unary_expression (identifier) @reference)
(condition_clause (identifier) @reference)
(case_statement value: (identifier) @reference)
(subscript_expression (identifier) @reference)
(throw_statement (identifier) @reference)
