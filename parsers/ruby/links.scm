; Imports.
((call !receiver method: (identifier) @_require arguments: (argument_list . (string) @module))
  (#any-of? @_require "require" "load" "require_dependency"))
((call !receiver method: (identifier) @_require arguments: (argument_list . (string) @module)) @relative
  (#eq? @_require "require_relative"))
((call method: (identifier) @_autoload arguments: (argument_list . (simple_symbol) . (string) @module))
  (#eq? @_autoload "autoload"))

; Bases and mixins.
(superclass [(constant) (scope_resolution)] @inherit)
((call !receiver method: (identifier) @_include arguments: (argument_list [(constant) (scope_resolution)] @inherit))
  (#any-of? @_include "include" "extend" "prepend"))

; What a variable is made of.
(assignment left: [(identifier) (instance_variable)] @variable right: (call) @valued)
(assignment left: [(identifier) (instance_variable)] @variable right: [(identifier) (instance_variable) (constant) (scope_resolution)] @valued)
(operator_assignment left: [(identifier) (instance_variable)] @variable right: (call) @valued)
((call receiver: (_) @element method: (identifier) @_each block: (_ parameters: (block_parameters . (identifier) @variable)))
  (#any-of? @_each "each" "map" "flat_map" "select" "filter" "reject" "find" "detect" "any?" "all?" "find_each" "sort_by" "group_by" "sum"))
(for pattern: (identifier) @variable value: (in (_) @element))
(rescue exceptions: (exceptions . [(constant) (scope_resolution)] @typed) variable: (exception_variable (identifier) @variable))

; Names that hide others.
(method_parameters (identifier) @local)
(block_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(keyword_parameter name: (identifier) @local)
(optional_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(assignment left: (identifier) @local)
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)

; Values: a name alone may be a method that is called.
(argument_list (scope_resolution name: (constant) @reference))
(pair value: (scope_resolution name: (constant) @reference))
(array (scope_resolution name: (constant) @reference))
(assignment right: (scope_resolution name: (constant) @reference))
(binary (scope_resolution name: (constant) @reference))
(conditional (scope_resolution name: (constant) @reference))
(body_statement (scope_resolution name: (constant) @reference))
(block_body (scope_resolution name: (constant) @reference))
(argument_list [(identifier) (constant)] @reference)
(pair value: [(identifier) (constant)] @reference)
(array [(identifier) (constant)] @reference)
(assignment right: [(identifier) (constant)] @reference)
(binary [(identifier) (constant)] @reference)
(unary (identifier) @reference)
(body_statement (identifier) @reference)
(block_body (identifier) @reference)
(then (identifier) @reference)
(else (identifier) @reference)
(if condition: (identifier) @reference)
(unless condition: (identifier) @reference)
(if_modifier (identifier) @reference)
(unless_modifier (identifier) @reference)
(conditional [(identifier) (constant)] @reference)
(interpolation (identifier) @reference)
(return (argument_list (identifier) @reference))
(call receiver: (constant) @type)
(call receiver: (identifier) @reference)
(exceptions [(constant) (scope_resolution)] @type)
(when pattern: (pattern [(constant) (scope_resolution)] @type))

; Routes: Rails.
((call !receiver method: (identifier) @verb
  arguments: (argument_list . (string) @address (pair key: (hash_key_symbol) @_to value: (string) @handler)))
  (#any-of? @verb "get" "post" "put" "patch" "delete" "match") (#eq? @_to "to"))
((call !receiver method: (identifier) @verb
  arguments: (argument_list . (pair key: (string) @address value: (string) @handler)))
  (#any-of? @verb "get" "post" "put" "patch" "delete" "match"))
((call !receiver method: (identifier) @verb @address arguments: (argument_list . (string) @handler))
  (#eq? @verb "root") (#match? @handler "#"))
((call !receiver method: (identifier) @verb @address
  arguments: (argument_list (pair key: (hash_key_symbol) @_to value: (string) @handler)))
  (#eq? @verb "root") (#eq? @_to "to"))

; Routes: Sinatra, Grape.
((call !receiver method: (identifier) @verb arguments: (argument_list . (string) @address) block: (_) @handler)
  (#any-of? @verb "get" "post" "put" "patch" "delete" "options" "head") (#match? @address "^.[/:]"))
