(haskell (header module: (module) @name)) @definition.module
(header module: (module) @name) @definition.module
([(haddock) (comment)] @doc . (header module: (module) @name) @definition.module)

(class name: [(name) @name (prefix_id (_) @name)]) @definition.trait
(class (infix operator: (_) @name)) @definition.trait

; an instance is named by its type
(instance patterns: (type_patterns . [(name) @name (qualified id: (name) @name) (unit) @name (tuple) @name (list) @name (prefix_list) @name (prefix_tuple) @name])) @definition.extension
(instance patterns: (type_patterns . (parens type: [(name) @name (qualified id: (name) @name) (function) @name (infix) @name]))) @definition.extension
(instance patterns: (type_patterns . (parens type: (apply constructor: [(name) @name (qualified id: (name) @name)])))) @definition.extension
(instance patterns: (type_patterns . (parens type: (apply constructor: (apply constructor: [(name) @name (qualified id: (name) @name)]))))) @definition.extension
(instance patterns: (type_patterns . (parens type: (apply constructor: (apply constructor: (apply constructor: [(name) @name (qualified id: (name) @name)])))))) @definition.extension
(instance patterns: (type_patterns . (parens type: (apply constructor: (apply constructor: (apply constructor: (apply constructor: [(name) @name (qualified id: (name) @name)]))))))) @definition.extension
(instance patterns: (type_patterns . (variable) . [(name) @name (qualified id: (name) @name) (unit) @name (tuple) @name (list) @name (prefix_list) @name (prefix_tuple) @name])) @definition.extension
(instance patterns: (type_patterns . (variable) . (parens type: [(name) @name (qualified id: (name) @name) (function) @name (infix) @name]))) @definition.extension
(instance patterns: (type_patterns . (variable) . (parens type: (apply constructor: [(name) @name (qualified id: (name) @name)])))) @definition.extension
(instance patterns: (type_patterns . (variable) . (parens type: (apply constructor: (apply constructor: [(name) @name (qualified id: (name) @name)]))))) @definition.extension
(instance name: (_) @name patterns: (type_patterns . (variable) .)) @definition.extension
(deriving_instance patterns: (type_patterns . [(name) @name (qualified id: (name) @name) (unit) @name (tuple) @name (list) @name (prefix_list) @name (prefix_tuple) @name])) @definition.extension
(deriving_instance patterns: (type_patterns . (parens type: [(name) @name (qualified id: (name) @name) (function) @name (infix) @name]))) @definition.extension
(deriving_instance patterns: (type_patterns . (parens type: (apply constructor: [(name) @name (qualified id: (name) @name)])))) @definition.extension
(deriving_instance patterns: (type_patterns . (parens type: (apply constructor: (apply constructor: [(name) @name (qualified id: (name) @name)]))))) @definition.extension

(data_type
  name: [(name) @name (prefix_id (_) @name)]
  constructors: (data_constructors . (data_constructor constructor: (record)) .)) @definition.struct
(data_type name: [(name) @name (prefix_id (_) @name)]) @definition.enum
(data_type (infix operator: (_) @name)) @definition.enum
(newtype name: [(name) @name (prefix_id (_) @name)]) @definition.struct
(type_synonym name: [(name) @name (prefix_id (_) @name)]) @definition.type
(type_synonym (infix operator: (_) @name)) @definition.type
(type_family name: [(name) @name (prefix_id (_) @name)]) @definition.type
(data_family name: [(name) @name (prefix_id (_) @name)]) @definition.type

; its name alone, for the fields in it belong to the type
(data_constructor constructor: (record name: [(constructor) @name (prefix_id (_) @name)] @definition.field))
(data_constructor constructor: (prefix name: [(constructor) @name (prefix_id (_) @name)]) @definition.field)
(data_constructor constructor: (infix operator: [(constructor_operator) @name (infix_id (_) @name)]) @definition.field)
(gadt_constructor name: [(constructor) @name (prefix_id (_) @name)]) @definition.field
(gadt_constructor names: (binding_list name: (constructor) @name)) @definition.field
(newtype_constructor name: [(constructor) @name (prefix_id (_) @name)] @definition.field)
(field name: (field_name [(variable) (operator) (prefix_id (_))] @name)) @definition.field

; "x = 5"; every other binding is a function: of no arguments, or of some that are not written
(declarations (bind name: (variable) @name match: (match expression: (literal))) @definition.constant)
(declarations (bind pattern: (tuple element: (variable) @name)) @definition.constant)

(declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @definition.function)
(class_declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @definition.function)
(class_declarations (signature names: (binding_list name: [(variable) @name (prefix_id (_) @name)])) @definition.function)
(class_declarations (default_signature signature: (signature name: [(variable) @name (prefix_id (_) @name)])) @definition.function)
(instance_declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @definition.function)
(foreign_import signature: (signature name: [(variable) @name (prefix_id (_) @name)])) @definition.function
(function name: [(variable) @name (prefix_id (_) @name)]) @definition.function
(function (infix operator: [(operator) @name (infix_id (variable) @name)])) @definition.function
(function parens: (function_head_parens (infix operator: [(operator) @name (infix_id (variable) @name)]))) @definition.function
(declarations (bind name: [(variable) @name (prefix_id (_) @name)]) @definition.function)
(class_declarations (bind name: [(variable) @name (prefix_id (_) @name)]) @definition.function)
(instance_declarations (bind name: [(variable) @name (prefix_id (_) @name)]) @definition.function)

(pattern_synonym (signature synonym: (constructor) @name)) @definition.function
(pattern_synonym (equation synonym: [
  (constructor) @name
  (apply function: (constructor) @name)
  (apply function: (apply function: (constructor) @name))
  (apply function: (apply function: (apply function: (constructor) @name)))
  (infix operator: (_) @name)
  (record constructor: (constructor) @name)
])) @definition.function

; it "does something" $ do ...
(infix
  left_operand: (apply function: (variable) @_block argument: (literal (string) @name))
  operator: (operator) @body
  (#any-of? @_block "describe" "context" "it" "specify" "prop" "testCase" "testProperty")) @definition.function

(comment) @comment
; "-- ^" documents what is before it
((haddock) @comment (#not-match? @comment "^(--+|[{]-)[ ]*[\\^]"))

(import) @import

(apply function: [(variable) @call (qualified id: (variable) @call)])
(infix operator: (infix_id [(variable) @call (qualified id: (variable) @call)]))
(infix
  left_operand: [(variable) @call (qualified id: (variable) @call)]
  operator: (operator) @_operator
  (#any-of? @_operator "$" "$!" "<$>" "." "=<<" "<$!>"))
(infix
  operator: (operator) @_operator
  right_operand: [(variable) @call (qualified id: (variable) @call)]
  (#any-of? @_operator "&" ">>=" "<&>" "." ">>>"))
(exp [(variable) @call (qualified id: (variable) @call)])
(bind expression: [(variable) @call (qualified id: (variable) @call)])
(pragma) @decorator
