(package_clause name: (_) @package)

(import_declaration) @use
(export_declaration) @use @exported

; Bases.
(extends_clause [(type_identifier) (stable_type_identifier)] @inherit)
(extends_clause (generic_type . (_) @inherit))
(extends_clause (compound_type base: [(type_identifier) (stable_type_identifier)] @inherit))
(extends_clause (compound_type base: (generic_type type: (_) @inherit)))
(extends_clause (compound_type extra: [(type_identifier) (stable_type_identifier)] @inherit))
(extends_clause (compound_type extra: (generic_type type: (_) @inherit)))

(annotation name: [(type_identifier) (stable_type_identifier)] @decorate)

; Declared types.
(type_identifier) @type
(parameter name: (identifier) @variable type: (_) @typed)
(class_parameter ["val" "var"] . name: (identifier) @field type: (_) @typed)
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (identifier) @field type: (_) @typed)))
(class_parameter name: (identifier) @field type: (_) @typed)
(val_definition pattern: (identifier) @variable type: (_) @typed)
(var_definition pattern: (identifier) @variable type: (_) @typed)
(val_declaration name: (identifier) @variable type: (_) @typed)
(var_declaration name: (identifier) @variable type: (_) @typed)
(function_definition return_type: (_) @returns)
(function_declaration return_type: (_) @returns)
(typed_pattern pattern: (identifier) @variable type: (_) @typed)

; What a variable is made of.
(val_definition pattern: (identifier) @variable value: (instance_expression . (_) @typed))
(var_definition pattern: (identifier) @variable value: (instance_expression . (_) @typed))
(val_definition pattern: (identifier) @variable value: (call_expression function: (_) @called))
(var_definition pattern: (identifier) @variable value: (call_expression function: (_) @called))
(val_definition pattern: (identifier) @variable value: [(identifier) (field_expression)] @valued)
(enumerator . (identifier) @variable . (_) @element)

; Names that hide others.
(parameter name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(binding name: (identifier) @local)
(val_definition pattern: (identifier) @local)
(var_definition pattern: (identifier) @local)
(identifiers (identifier) @local)
(tuple_pattern (identifier) @local)
(case_class_pattern pattern: (identifier) @local)
(case_clause pattern: (identifier) @local)
(typed_pattern pattern: (identifier) @local)
(capture_pattern name: (identifier) @local)
(enumerator . (identifier) @local)

; Values.
(field_expression field: (identifier) @reference)
(arguments (identifier) @reference)
(assignment_expression (identifier) @reference)
(val_definition value: (identifier) @reference)
(var_definition value: (identifier) @reference)
(function_definition body: (identifier) @reference)
(infix_expression left: (identifier) @reference)
(infix_expression right: (identifier) @reference)
(return_expression (identifier) @reference)
(if_expression (identifier) @reference)
(match_expression value: (identifier) @reference)
(case_clause body: (identifier) @reference)
(interpolation (identifier) @reference)
(parenthesized_expression (identifier) @reference)
(prefix_expression (identifier) @reference)
(parameter default_value: (identifier) @reference)
(tuple_expression (identifier) @reference)
(block (identifier) @reference .)
