; Imports.
((function_call name: (identifier) @_require arguments: (arguments (string) @module))
  (#eq? @_require "require"))
((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @alias)
  (expression_list . value: (function_call name: (identifier) @_require arguments: (arguments (string) @module)))))
  (#eq? @_require "require"))
((variable_declaration (assignment_statement
  (variable_list . name: (identifier) @alias)
  (expression_list . value: (dot_index_expression
    table: (function_call name: (identifier) @_require arguments: (arguments (string) @module))
    field: (identifier) @name))))
  (#eq? @_require "require"))
((function_call name: (identifier) @_file arguments: (arguments (string) @module)) @relative
  (#any-of? @_file "dofile" "loadfile"))

; What a variable is made of.
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @variable .)
  (expression_list . value: (function_call name: [(identifier) (dot_index_expression) (method_index_expression)] @called))))
(assignment_statement
  (variable_list . name: (dot_index_expression) @variable .)
  (expression_list . value: (function_call name: [(identifier) (dot_index_expression) (method_index_expression)] @called)))
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @variable .)
  (expression_list . value: [(identifier) (dot_index_expression)] @valued .)))

; Names that hide others.
(parameters name: (identifier) @local)
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(variable_declaration (variable_list name: (identifier) @local))
(for_generic_clause (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local)

; Values.
(dot_index_expression table: (dot_index_expression field: (identifier) @reference))
(method_index_expression table: (dot_index_expression field: (identifier) @reference))
(arguments (dot_index_expression field: (identifier) @reference))
(expression_list (dot_index_expression field: (identifier) @reference))
(field value: (dot_index_expression field: (identifier) @reference))
(binary_expression (dot_index_expression field: (identifier) @reference))
(if_statement condition: (dot_index_expression field: (identifier) @reference))
(arguments (identifier) @reference)
(expression_list value: (identifier) @reference)
(return_statement (expression_list (identifier) @reference))
(field value: (identifier) @reference)
(binary_expression (identifier) @reference)
(unary_expression (identifier) @reference)
(parenthesized_expression (identifier) @reference)
