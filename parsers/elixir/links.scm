; Imports.
((call target: (identifier) @_alias (arguments . [(alias) (dot right: (tuple))] @use .))
  (#any-of? @_alias "alias" "require"))
((call target: (identifier) @_alias (arguments . (alias) @module (keywords (pair key: (keyword) @_as value: (alias) @alias))))
  (#any-of? @_alias "alias" "require") (#match? @_as "^as:"))
((call target: (identifier) @_import (arguments . (alias) @module)) @all
  (#eq? @_import "import"))
((call target: (identifier) @_use (arguments . (alias) @module))
  (#eq? @_use "use"))

; Behaviours and protocols; `use` brings a module's functions in.
((call target: (identifier) @_use (arguments . (alias) @inherit)) (#eq? @_use "use"))
((unary_operator operand: (call target: (identifier) @_behaviour (arguments (alias) @implement)))
  (#any-of? @_behaviour "behaviour" "behavior"))
((call target: (identifier) @_defimpl (arguments . (alias) @implement)) (#eq? @_defimpl "defimpl"))

; Types.
(struct (alias) @type)
(call target: (dot) (arguments (alias) @type))
((call target: (identifier) @_call (arguments (alias) @type))
  (#not-match? @_call "^(alias|import|require|use|def(module|impl|protocol)|behaviou?r|scope)$"))
(list (alias) @type)
(list (tuple . (alias) @type))
((pair key: (keyword) @_key value: (alias) @type) (#not-match? @_key "^(as|for):"))
(binary_operator right: (alias) @type)

; What a variable is made of.
((binary_operator left: (identifier) @variable operator: "=" right: (map (struct (alias) @typed))))
((binary_operator left: (map (struct (alias) @typed)) operator: "=" right: (identifier) @variable))
((binary_operator left: (identifier) @variable operator: "=" right: (call target: (_) @called)))

; Names that hide others.
((call target: (identifier) @_def (arguments (call (arguments (identifier) @local))))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))
((call target: (identifier) @_def (arguments (binary_operator left: (call (arguments (identifier) @local)))))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))
(stab_clause left: (arguments (identifier) @local))
(binary_operator left: (identifier) @local operator: "=")
(binary_operator left: (identifier) @local operator: "<-")

; Values: functions by name and arity.
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @reference))
(unary_operator operator: "&" operand: (binary_operator left: (call target: (dot right: (identifier) @reference))))

; Routes: Phoenix, Plug.
((call target: (identifier) @verb (arguments . (string) @address . (alias) @within . (atom) @handler))
  (#any-of? @verb "get" "post" "put" "patch" "delete" "head" "options" "match"))
((call target: (identifier) @verb (arguments . (string) @address . (alias) @handler) )
  (#any-of? @verb "live" "forward"))
((call target: (identifier) @verb (arguments . (string) @address . (alias) @handler))
  (#any-of? @verb "resources"))
((call target: (identifier) @verb (arguments . (string) @address) (do_block) @handler)
  (#any-of? @verb "get" "post" "put" "patch" "delete" "head" "options" "match") (#match? @address "^.[/:]"))
