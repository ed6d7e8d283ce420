(package_header (qualified_identifier) @package)

(import) @use

; Bases: a class is called, an interface is not.
(class_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type (identifier) @inherit .)))))
(class_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type (identifier) @inherit . (type_arguments))))))
(class_declaration "class" (delegation_specifiers (delegation_specifier [
  (user_type (identifier) @implement .)
  (user_type (identifier) @implement . (type_arguments))
  (explicit_delegation . (user_type (identifier) @implement .))
  (explicit_delegation . (user_type (identifier) @implement . (type_arguments)))])))
(class_declaration "interface" (delegation_specifiers (delegation_specifier [
  (user_type (identifier) @inherit .)
  (user_type (identifier) @inherit . (type_arguments))])))
(object_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type (identifier) @inherit .)))))
(object_declaration (delegation_specifiers (delegation_specifier [
  (user_type (identifier) @implement .)
  (user_type (identifier) @implement . (type_arguments))])))
(companion_object (delegation_specifiers (delegation_specifier [
  (constructor_invocation (user_type (identifier) @inherit .))
  (user_type (identifier) @implement .)])))

(annotation [
  (user_type (identifier) @decorate .)
  (constructor_invocation (user_type (identifier) @decorate .))])

; Declared types.
(user_type) @type
(parameter . (identifier) @variable . [(user_type) (nullable_type)] @typed)
(class_parameter ["val" "var"] . (identifier) @field . [(user_type) (nullable_type)] @typed)
(class_parameter (identifier) @variable . [(user_type) (nullable_type)] @typed)
(variable_declaration . (identifier) @variable . [(user_type) (nullable_type)] @typed)
(function_declaration (function_value_parameters) . [(user_type) (nullable_type)] @returns)
(catch_block . (identifier) @variable . (user_type) @typed)

; What a variable is made of.
(property_declaration (variable_declaration . (identifier) @variable .) (call_expression . (_) @called))
(property_declaration (variable_declaration . (identifier) @variable .) . [(identifier) (navigation_expression)] @valued)
(property_declaration (variable_declaration . (identifier) @variable .) (as_expression right: (_) @typed))
(for_statement (variable_declaration . (identifier) @variable .) . (_) @element)

; Names that hide others.
(parameter . (identifier) @local)
(class_parameter (identifier) @local)
(variable_declaration . (identifier) @local)
(catch_block . (identifier) @local)
(setter (identifier) @local)

; Values.
((navigation_expression (_) (identifier) @reference .) (#not-eq? @reference "class"))
((value_argument (identifier) @reference .) (#not-eq? @reference "it"))
(return_expression (identifier) @reference)
(property_declaration (identifier) @reference)
(assignment (identifier) @reference)
(binary_expression (identifier) @reference)
(infix_expression (identifier) @reference)
(unary_expression (identifier) @reference)
(range_expression (identifier) @reference)
(in_expression (identifier) @reference)
(parenthesized_expression (identifier) @reference)
(if_expression (identifier) @reference)
(when_subject (identifier) @reference)
(when_entry (identifier) @reference)
(throw_expression (identifier) @reference)
(interpolation (identifier) @reference)
(index_expression (identifier) @reference)
((function_body (identifier) @reference) (#not-eq? @reference "field"))
(for_statement (identifier) @reference)

; Routes: Spring.
((class_declaration (modifiers (annotation (constructor_invocation
  (user_type (identifier) @_path)
  (value_arguments . (value_argument (string_literal) @prefix))))))
  (#any-of? @_path "RequestMapping" "Path" "Controller"))
((function_declaration (modifiers (annotation (constructor_invocation
  (user_type (identifier) @verb)
  (value_arguments (value_argument [(string_literal) @address (collection_literal (string_literal) @address)]))))))
  (#any-of? @verb "GetMapping" "PostMapping" "PutMapping" "PatchMapping" "DeleteMapping" "RequestMapping"
    "Get" "Post" "Put" "Patch" "Delete"))
((function_declaration (modifiers (annotation (user_type (identifier) @verb @address))))
  (#any-of? @verb "GetMapping" "PostMapping" "PutMapping" "PatchMapping" "DeleteMapping"))

; Routes: Ktor.
((call_expression
  (call_expression (identifier) @verb (value_arguments . (value_argument (string_literal) @address)))
  (annotated_lambda) @handler)
  (#any-of? @verb "get" "post" "put" "patch" "delete" "head" "options") (#match? @address "^./"))
