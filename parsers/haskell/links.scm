(haskell (header module: (module) @package))

; Imports.
((import module: (module) @module !names) @_import @all
  (#not-match? @_import "qualified"))
(import module: (module) @module alias: (module) @alias)
((import module: (module) @module @alias !alias) @_import
  (#match? @_import "qualified"))
((import module: (module) @module names: (import_list name: (import_name [(variable) (name)] @name))) @_import
  (#not-match? @_import "^import[^(]*\\s(hiding|qualified)\\b"))
((import module: (module) @module names: (_)) @_import @all
  (#match? @_import "^import[^(]*\\shiding\\b") (#not-match? @_import "^import[^(]*\\squalified\\b"))
(haskell (header exports: (exports export: (export [(variable) (name)] @export))))

; Classes that a type has instances of, and those that a class needs.
(instance name: [(name) (qualified)] @implement)
(deriving_instance name: [(name) (qualified)] @implement)
(deriving classes: [(name) (qualified)] @implement)
(deriving classes: (tuple [(name) (qualified)] @implement))
(class context: (context context: (apply constructor: [(name) (qualified)] @inherit)))

; Types.
(signature type: (name) @type)
(field type: (name) @type)
(prefix field: (name) @type)
(type_synonym type: (name) @type)
(function parameter: (name) @type)
(function result: (name) @type)
(apply constructor: (name) @type)
(apply argument: (name) @type)
(list element: (name) @type)
(tuple element: (name) @type)
(parens type: (name) @type)
(strict_field (name) @type)
(qualified id: (name) @type)

; Names that hide others.
(patterns (variable) @local)
(pattern/variable) @local
(lambda patterns: (patterns (variable) @local))
(local_binds (bind name: (variable) @local))
(bind pattern: (variable) @local)
(generator pattern: (variable) @local)

; Values.
((apply argument: (variable) @reference) (#match? @reference "^.."))
(apply argument: (constructor) @reference)
(apply argument: (qualified id: (variable) @reference))
(infix left_operand: (variable) @reference)
(infix right_operand: (variable) @reference)
(infix right_operand: (qualified id: (variable) @reference))
(match expression: (variable) @reference)
((list element: (variable) @reference) (#match? @reference "^.."))
(exp (variable) @reference)
