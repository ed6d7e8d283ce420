(function_declaration
  name: [
    (identifier) @name
    (dot_index_expression table: (_) @scope field: (identifier) @name)
    (method_index_expression table: (_) @scope method: (identifier) @name)
  ]) @definition.function

; A function bound to a name: M.f = function() end, T["f"] = function() end, { f = function() end }
(assignment_statement
  (variable_list
    . name: [
      (identifier) @name
      (dot_index_expression table: (_) @scope field: (identifier) @name)
      (bracket_index_expression table: (_) @scope field: (string content: (string_content) @name))
    ])
  (expression_list . value: (function_definition))) @definition.function
(variable_declaration
  (assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (function_definition)))) @definition.function
(field
  name: [(identifier) @name (string content: (string_content) @name)]
  value: (function_definition)) @definition.function

(field name: (identifier) @name value: (table_constructor (field value: (function_definition)))) @container

; Tables and values of the module; `local json = require "json"` is an import, `local insert = table.insert` a shorthand.
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list
        . value: [
          (table_constructor) (string) (number) (true) (false) (nil) (binary_expression) (unary_expression)
          (parenthesized_expression)
        ]))) @definition.constant)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (function_call name: (_) @_function)))) @definition.constant
  (#not-eq? @_function "require"))
(chunk
  (assignment_statement
    (variable_list
      . name: [
        (identifier) @name
        (dot_index_expression table: (_) @scope field: (identifier) @name)
        (bracket_index_expression table: (_) @scope field: (string content: (string_content) @name))
      ])
    (expression_list
      . value: [
        (table_constructor) (string) (number) (true) (false) (nil) (binary_expression) (unary_expression)
        (parenthesized_expression) (function_call)
      ])) @definition.constant)

; busted: it("adds", function() ... end)
(function_call
  name: (identifier) @_group
  arguments: (arguments . (string content: (string_content) @name) . (function_definition) .)
  (#any-of? @_group "describe" "context" "insulate" "expose")) @definition.module
(function_call
  name: (identifier) @_test
  arguments: (arguments . (string content: (string_content) @name) . (function_definition) .)
  (#any-of? @_test "it" "spec" "test" "pending")) @definition.function

(comment) @comment

(chunk (variable_declaration (assignment_statement (expression_list value: (function_call name: (identifier) @_require)))) @import
  (#eq? @_require "require"))
(chunk (variable_declaration (assignment_statement (expression_list value: (dot_index_expression table: (function_call name: (identifier) @_require))))) @import
  (#eq? @_require "require"))
(chunk (assignment_statement (expression_list value: (function_call name: (identifier) @_require))) @import
  (#eq? @_require "require"))
(chunk (function_call name: (identifier) @_require) @import
  (#any-of? @_require "require" "dofile" "loadfile"))

(function_call
  name: [
    (identifier) @call
    (dot_index_expression field: (identifier) @call)
    (method_index_expression method: (identifier) @call)
  ])
