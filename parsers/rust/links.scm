; Imports.
(use_declaration . argument: (_) @use)
(use_declaration (visibility_modifier) argument: (_) @use @exported)
(mod_item name: (identifier) @module @alias !body)
(extern_crate_declaration name: (identifier) @module @alias)

; Bases.
(impl_item trait: [(type_identifier) (scoped_type_identifier)] @implement)
(impl_item trait: (generic_type type: (_) @implement))
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier)] @inherit))
(trait_item bounds: (trait_bounds (generic_type type: (_) @inherit)))

((attribute_item (attribute . [(identifier) (scoped_identifier)] @decorate)) (#not-eq? @decorate "derive"))
((attribute_item (attribute . (identifier) @_derive arguments: (token_tree (identifier) @type))) (#eq? @_derive "derive"))

; Declared types.
(type_identifier) @type
(field_declaration name: (field_identifier) @variable type: (_) @typed)
(parameter pattern: (identifier) @variable type: (_) @typed)
(let_declaration pattern: (identifier) @variable type: (_) @typed)
(const_item name: (identifier) @variable type: (_) @typed)
(static_item name: (identifier) @variable type: (_) @typed)
(function_item return_type: (_) @returns)
(function_signature_item return_type: (_) @returns)
(closure_parameters (parameter pattern: (identifier) @variable type: (_) @typed))

; What a variable is made of.
(let_declaration pattern: (identifier) @variable !type value: (call_expression function: (_) @called))
(let_declaration pattern: (identifier) @variable !type value: (try_expression (call_expression function: (_) @called)))
(let_declaration pattern: (identifier) @variable !type value: (await_expression (call_expression function: (_) @called)))
(let_declaration pattern: (identifier) @variable !type
  value: (try_expression (await_expression (call_expression function: (_) @called))))
(let_declaration pattern: (identifier) @variable !type value: (struct_expression name: (_) @typed))
(let_declaration pattern: (identifier) @variable !type value: [(identifier) (field_expression)] @valued)
(let_declaration pattern: (identifier) @variable !type value: (reference_expression value: [(identifier) (field_expression)] @valued))
(for_expression pattern: (identifier) @variable value: [(identifier) (field_expression) (call_expression)] @element)
(for_expression pattern: (identifier) @variable value: (reference_expression value: (_) @element))

; Names that hide others.
(parameter pattern: (identifier) @local)
(closure_parameters (identifier) @local)
(let_declaration pattern: (identifier) @local)
(for_expression pattern: (identifier) @local)
(tuple_pattern (identifier) @local)
(tuple_struct_pattern type: (_) (identifier) @local)
(ref_pattern (identifier) @local)
(mut_pattern (identifier) @local)
(captured_pattern . (identifier) @local)
(field_pattern name: (shorthand_field_identifier) @local)
(field_pattern pattern: (identifier) @local)

; Values.
(field_expression field: (field_identifier) @reference)
(arguments (identifier) @reference)
(arguments (scoped_identifier name: (identifier) @reference))
(let_declaration value: (identifier) @reference)
(let_declaration value: (scoped_identifier name: (identifier) @reference))
(reference_expression value: (scoped_identifier name: (identifier) @reference))
(field_initializer value: (identifier) @reference)
(field_initializer value: (scoped_identifier name: (identifier) @reference))
(assignment_expression (scoped_identifier name: (identifier) @reference))
(compound_assignment_expr (identifier) @reference)
(compound_assignment_expr (scoped_identifier name: (identifier) @reference))
(binary_expression (identifier) @reference)
(binary_expression (scoped_identifier name: (identifier) @reference))
(unary_expression (identifier) @reference)
(unary_expression (scoped_identifier name: (identifier) @reference))
(return_expression (identifier) @reference)
(return_expression (scoped_identifier name: (identifier) @reference))
(block (identifier) @reference .)
(block (scoped_identifier name: (identifier) @reference) .)
(if_expression condition: (identifier) @reference)
(if_expression condition: (scoped_identifier name: (identifier) @reference))
(match_expression value: (identifier) @reference)
(match_expression value: (scoped_identifier name: (identifier) @reference))
(match_arm value: (identifier) @reference)
(match_arm value: (scoped_identifier name: (identifier) @reference))
(match_pattern . (identifier) @reference)
(match_pattern . (scoped_identifier name: (identifier) @reference))
(array_expression (identifier) @reference)
(array_expression (scoped_identifier name: (identifier) @reference))
(tuple_expression (scoped_identifier name: (identifier) @reference))
(index_expression (scoped_identifier name: (identifier) @reference))
(range_expression (identifier) @reference)
(range_expression (scoped_identifier name: (identifier) @reference))
(closure_expression body: (identifier) @reference)
(closure_expression body: (scoped_identifier name: (identifier) @reference))
(const_item value: (identifier) @reference)
(const_item value: (scoped_identifier name: (identifier) @reference))
(static_item value: (identifier) @reference)
(static_item value: (scoped_identifier name: (identifier) @reference))
(array_type length: (identifier) @reference)
(array_type length: (scoped_identifier name: (identifier) @reference))
(for_expression value: (identifier) @reference)
(for_expression value: (scoped_identifier name: (identifier) @reference))
(tuple_struct_pattern type: (scoped_identifier name: (identifier) @reference))

; Routes: Rocket and Actix (attributes), axum, Actix.
((attribute_item (attribute . (identifier) @verb arguments: (token_tree . (string_literal) @address)))
  (#any-of? @verb "get" "post" "put" "patch" "delete" "head" "options"))
((call_expression
  function: (field_expression field: (field_identifier) @_route)
  arguments: (arguments . (string_literal) @address . (call_expression
    function: [(identifier) @verb (scoped_identifier name: (identifier) @verb)]
    arguments: (arguments . [(identifier) (scoped_identifier)] @handler .))))
  (#eq? @_route "route") (#any-of? @verb "get" "post" "put" "patch" "delete" "head" "options" "any"))
((call_expression
  function: (field_expression field: (field_identifier) @_route)
  arguments: (arguments . (string_literal) @address . (call_expression
    function: (field_expression field: (field_identifier) @verb)
    arguments: (arguments . [(identifier) (scoped_identifier)] @handler .))))
  (#eq? @_route "route") (#any-of? @verb "get" "post" "put" "patch" "delete" "head" "options"))
((call_expression
  function: (field_expression field: (field_identifier) @_route)
  arguments: (arguments . (string_literal) @address . (call_expression
    function: (field_expression value: (call_expression
      function: [(identifier) @verb (scoped_identifier name: (identifier) @verb)]
      arguments: (arguments . [(identifier) (scoped_identifier)] @handler .))))))
  (#eq? @_route "route") (#any-of? @verb "get" "post" "put" "patch" "delete" "head" "options"))
((call_expression
  function: (field_expression field: (field_identifier) @_route)
  arguments: (arguments . (string_literal) @address . (call_expression
    function: (field_expression
      value: (call_expression function: (scoped_identifier name: (identifier) @verb))
      field: (field_identifier) @_to)
    arguments: (arguments . [(identifier) (scoped_identifier)] @handler .))))
  (#eq? @_route "route") (#eq? @_to "to") (#any-of? @verb "get" "post" "put" "patch" "delete" "head" "options"))
