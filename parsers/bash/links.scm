; Imports.
((command name: (command_name (word) @_source) . argument: [(word) (string) (raw_string) (concatenation)] @module) @all
  (#any-of? @_source "source" "." "\\."))

; Functions by their names.
((command name: (command_name (word) @_trap) . argument: (word) @reference)
  (#any-of? @_trap "trap" "eval") (#match? @reference "^[A-Za-z_]"))
