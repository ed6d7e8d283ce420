(function_definition name: (word) @name) @definition.function

; Variables of the script itself, also those that a top-level `if` or `&&` sets
(program (variable_assignment name: [(variable_name) @name (subscript name: (variable_name) @name)]) @definition.constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.constant)
(program (if_statement (variable_assignment name: (variable_name) @name) @definition.constant))
(program (if_statement (declaration_command (variable_assignment name: (variable_name) @name)) @definition.constant))
(program (list (variable_assignment name: (variable_name) @name) @definition.constant))

(command
  name: (command_name (word) @_alias)
  argument: (concatenation . (word) @name)
  (#eq? @_alias "alias")) @definition.macro

(comment) @comment

(command
  name: (command_name (word) @_source)
  (#any-of? @_source "source" ".")) @import

(command name: (command_name (word) @call))
