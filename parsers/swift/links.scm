(import_declaration (identifier) @module @all)

; Bases: what a class inherits first and what it conforms to look the same.
(inheritance_specifier inherits_from: (user_type (type_identifier) @inherit .))
(inheritance_specifier inherits_from: (user_type (type_identifier) @inherit . (type_arguments)))

(attribute (user_type (type_identifier) @decorate))

; Declared types.
(user_type) @type
(parameter name: (simple_identifier) @variable . name: (_) @typed)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @variable) . (type_annotation (_) @typed))
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @variable) (type_annotation (_) @typed))
; Its field is called "name", as others are: a pattern with it takes 100 ms to compile.
((function_declaration "->" . (_) @returns)
  (#not-match? @returns "^(/|@|(inout|borrowing|consuming|sending)\\b)"))

; What a variable is made of.
(property_declaration name: (pattern bound_identifier: (simple_identifier) @variable) . value: (call_expression . (_) @called))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @variable) . value: [(simple_identifier) (navigation_expression)] @valued)
(for_statement item: (pattern bound_identifier: (simple_identifier) @variable) collection: (_) @element)

; Names that hide others.
(parameter name: (simple_identifier) @local . name: (_))
(lambda_parameter name: (simple_identifier) @local)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @local))
(for_statement item: (pattern bound_identifier: (simple_identifier) @local))
(guard_statement bound_identifier: (simple_identifier) @local)
(if_statement bound_identifier: (simple_identifier) @local)

; Values.
((navigation_suffix suffix: (simple_identifier) @reference) (#not-eq? @reference "self"))
((value_argument value: (simple_identifier) @reference) (#not-match? @reference "^(\\$[0-9]+|newValue|oldValue)$"))
(assignment result: (simple_identifier) @reference)
((assignment target: (directly_assignable_expression (simple_identifier) @reference)) (#not-eq? @reference "_"))
(property_declaration value: (simple_identifier) @reference)
(control_transfer_statement result: (simple_identifier) @reference)
(comparison_expression (simple_identifier) @reference)
(equality_expression (simple_identifier) @reference)
(additive_expression (simple_identifier) @reference)
(multiplicative_expression (simple_identifier) @reference)
(conjunction_expression (simple_identifier) @reference)
(disjunction_expression (simple_identifier) @reference)
(ternary_expression (simple_identifier) @reference)
(nil_coalescing_expression (simple_identifier) @reference)
(array_literal (simple_identifier) @reference)
((interpolated_expression (simple_identifier) @reference) (#not-match? @reference "^(\\$[0-9]+|newValue|oldValue)$"))
(prefix_expression (simple_identifier) @reference)
(guard_statement condition: (simple_identifier) @reference)
(if_statement condition: (simple_identifier) @reference)
