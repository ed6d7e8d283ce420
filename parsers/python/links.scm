; Imports.
(import_statement name: (dotted_name) @module @alias)
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @alias))
(import_from_statement module_name: (_) @module name: (dotted_name) @name)
(import_from_statement module_name: (_) @module name: (aliased_import name: (dotted_name) @name alias: (identifier) @alias))
(import_from_statement module_name: (_) @module (wildcard_import) @all)
(module (expression_statement (assignment left: (identifier) @_all right: [
    (list (string) @export) (tuple (string) @export)
    (binary_operator (list (string) @export))
  ]))
  (#eq? @_all "__all__"))
(module (expression_statement (augmented_assignment left: (identifier) @_all right: [(list (string) @export) (tuple (string) @export)]))
  (#eq? @_all "__all__"))

; Bases and decorators.
(class_definition superclasses: (argument_list [(identifier) @inherit (attribute) @inherit (subscript value: (_) @inherit)]))
(class_definition superclasses: (argument_list (subscript subscript: (_) @type)))
(decorator [(identifier) (attribute)] @decorate)
(decorator (call function: [(identifier) (attribute)] @decorate))

; Declared types.
(typed_parameter . (identifier) @variable type: (type) @typed)
(typed_default_parameter name: (identifier) @variable type: (type) @typed)
(typed_parameter . [(list_splat_pattern) (dictionary_splat_pattern)] type: (type) @type)
(assignment left: [(identifier) (attribute)] @variable type: (type) @typed)
(function_definition return_type: (type) @returns)
(type_alias_statement right: (type) @type)

; What a variable is made of.
(assignment left: [(identifier) (attribute)] @variable right: (_) @assigned)
(named_expression name: (identifier) @variable value: (_) @assigned)
(for_statement left: (identifier) @variable right: (_) @element)
(for_in_clause left: (identifier) @variable right: (_) @element)
(as_pattern (_) @assigned alias: (as_pattern_target (identifier) @variable))
(except_clause (as_pattern . [(identifier) (attribute)] @typed alias: (as_pattern_target (identifier) @variable)))

; Names that hide others.
(parameters) @parameters
(lambda_parameters) @parameters
(pattern_list (identifier) @local)
(tuple_pattern (identifier) @local)

; Values.
(argument_list [(identifier) (attribute)] @reference)
(keyword_argument value: [(identifier) (attribute)] @reference)
(default_parameter value: [(identifier) (attribute)] @reference)
(typed_default_parameter value: [(identifier) (attribute)] @reference)
(assignment right: [(identifier) (attribute)] @reference)
(augmented_assignment [(identifier) (attribute)] @reference)
(named_expression value: [(identifier) (attribute)] @reference)
(expression_statement (attribute) @reference)
(return_statement [(identifier) (attribute)] @reference)
(expression_list [(identifier) (attribute)] @reference)
(yield [(identifier) (attribute)] @reference)
(await [(identifier) (attribute)] @reference)
(raise_statement [(identifier) (attribute)] @reference)
(except_clause [(identifier) (attribute)] @reference)
(delete_statement (attribute) @reference)
(as_pattern . [(identifier) (attribute)] @reference)
(list [(identifier) (attribute)] @reference)
(tuple [(identifier) (attribute)] @reference)
(set [(identifier) (attribute)] @reference)
(pair [(identifier) (attribute)] @reference)
(list_splat [(identifier) (attribute)] @reference)
(dictionary_splat [(identifier) (attribute)] @reference)
(list_comprehension body: [(identifier) (attribute)] @reference)
(set_comprehension body: [(identifier) (attribute)] @reference)
(generator_expression body: [(identifier) (attribute)] @reference)
(conditional_expression [(identifier) (attribute)] @reference)
(boolean_operator [(identifier) (attribute)] @reference)
(not_operator [(identifier) (attribute)] @reference)
(comparison_operator [(identifier) (attribute)] @reference)
(binary_operator [(identifier) (attribute)] @reference)
(unary_operator [(identifier) (attribute)] @reference)
(subscript [(identifier) (attribute)] @reference)
(slice [(identifier) (attribute)] @reference)
(parenthesized_expression [(identifier) (attribute)] @reference)
(interpolation [(identifier) (attribute)] @reference)
(lambda body: [(identifier) (attribute)] @reference)
(for_statement right: [(identifier) (attribute)] @reference)
(for_in_clause right: [(identifier) (attribute)] @reference)
(if_statement condition: [(identifier) (attribute)] @reference)
(elif_clause condition: [(identifier) (attribute)] @reference)
(while_statement condition: [(identifier) (attribute)] @reference)
(if_clause [(identifier) (attribute)] @reference)
(with_item value: [(identifier) (attribute)] @reference)
(assert_statement [(identifier) (attribute)] @reference)

; Routes that are no calls, or calls of many names: Flask, FastAPI, Sanic.
((decorator (call
  function: (attribute attribute: (identifier) @verb)
  arguments: (argument_list . [(string) @address (call arguments: (argument_list . (string) @address .))
    (keyword_argument name: (identifier) @_rule value: (string) @address)])))
  (#any-of? @verb "route" "get" "post" "put" "patch" "delete" "head" "options" "websocket" "websocket_route" "api_route" "view"))
((decorator (call
  function: (attribute attribute: (identifier) @route)
  arguments: (argument_list . [(string) @address (call arguments: (argument_list . (string) @address .))]
    (keyword_argument name: (identifier) @_methods value: [(list (string) @verb) (tuple (string) @verb) (set (string) @verb)]))))
  (#any-of? @route "route" "api_route") (#eq? @_methods "methods"))
((call
  function: (attribute attribute: (identifier) @route)
  arguments: (argument_list . [(identifier) (attribute)] @handler (string) @address))
  (#match? @route "^add_.*(resource|view|route|rule)$"))
; Further actions of classes of Django REST framework.
((decorator (call function: (identifier) @verb @address @action)) (#eq? @action "action"))
; Tornado's tables; classes that tell the pattern of their addresses.
((tuple . (string) @address . [(identifier) (attribute)] @handler) (#match? @address "^r?[\"']\\^?/"))
((class_definition body: (block (expression_statement (assignment
  left: (identifier) @_patterns right: (call arguments: (argument_list . (string) @address))))))
  (#any-of? @_patterns "PATTERNS" "PATTERN"))
((class_definition body: (block (expression_statement (assignment left: (identifier) @_patterns right: (string) @address))))
  (#any-of? @_patterns "PATTERNS" "PATTERN" "PATH"))
; Constants that addresses begin with.
((assignment left: (identifier) @constant right: (string) @address)
  (#match? @constant "^(?:[A-Z][A-Z0-9_]*|(?:[a-z0-9_]+_)?prefix)$") (#match? @address "^[\"']/"))
