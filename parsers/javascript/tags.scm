(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (identifier) @name) @definition.class

; A function or class bound to a variable. Of several in one declaration each is its own.
(lexical_declaration . (variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) .) @definition.function
(variable_declaration . (variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) .) @definition.function
(lexical_declaration . (variable_declarator name: (identifier) @name value: (class body: (_) @body)) .) @definition.class
(variable_declaration . (variable_declarator name: (identifier) @name value: (class body: (_) @body)) .) @definition.class
((variable_declarator) . (variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.function)
((variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.function . (variable_declarator))

; A component that is wrapped where it is defined.
((lexical_declaration . (variable_declarator name: (identifier) @name value: (call_expression
    function: [(identifier) (member_expression)] @_wrapper
    arguments: (arguments . [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) .) @definition.function
  (#any-of? @_wrapper "memo" "React.memo" "forwardRef" "React.forwardRef"))

; A function assigned to a member: exports.f, Foo.prototype.f, app.f, this.f
(assignment_expression
  left: (member_expression property: [(property_identifier) (private_property_identifier)] @name)
  right: [(arrow_function body: (_) @body) (function_expression !name body: (_) @body) (generator_function body: (_) @body)]) @definition.function
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.function
(assignment_expression left: (member_expression property: (property_identifier) @name) right: (class !name body: (_) @body)) @definition.class
((assignment_expression
  left: (member_expression property: (property_identifier) @name) @_target
  right: (function_expression name: (identifier))) @definition.function
  (#not-eq? @_target "module.exports"))
((assignment_expression
  left: (member_expression object: (identifier) @scope property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body) (class !name body: (_) @body)]) @definition.function
  (#not-match? @scope "^(exports|module|window|globalThis|global|self)$"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @scope property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.function
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression object: (_) @name property: (property_identifier) @_prototype)
  right: (object)) @container
  (#eq? @_prototype "prototype"))

; A function or class expression with a name of its own.
((assignment_expression
  left: (member_expression) @_target
  right: (function_expression name: (identifier) @name body: (_) @body)) @definition.function
  (#eq? @_target "module.exports"))
(assignment_expression right: (class name: (identifier) @name)) @definition.class
(return_statement [(function_expression name: (identifier) @name) (generator_function name: (identifier) @name)] @definition.function)
(return_statement (class name: (identifier) @name) @definition.class)
(arguments (function_expression name: (identifier) @name) @definition.function)
(array (function_expression name: (identifier) @name) @definition.function)
(binary_expression right: (function_expression name: (identifier) @name) @definition.function)
(arguments (class name: (identifier) @name) @definition.class)

(export_statement "default" @name value: [(function_expression !name body: (_) @body) (generator_function !name body: (_) @body) (arrow_function body: (_) @body)]) @definition.function
(export_statement "default" @name value: (class !name body: (_) @body)) @definition.class
(export_statement "default" @name value: [(object) (array) (call_expression) (new_expression)]) @definition.constant

(method_definition name: (_) @name) @definition.method
(field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(field_definition property: (_) @name) @definition.field
(pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.function
(pair key: (_) @name value: (object)) @container

((call_expression
  function: [(identifier) @_block
    (member_expression object: (identifier) @_block)
    (call_expression function: (member_expression object: (identifier) @_block))]
  arguments: (arguments . [(string) (template_string)] @name [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.module
  (#any-of? @_block "describe" "context" "suite" "fdescribe" "xdescribe"))
((call_expression
  function: [(identifier) @_block
    (member_expression object: (identifier) @_block)
    (call_expression function: (member_expression object: (identifier) @_block))]
  arguments: (arguments . [(string) (template_string)] @name [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function
  (#any-of? @_block "it" "test" "specify" "bench" "fit" "xit" "xtest" "Deno" "QUnit"))

(program [
  (lexical_declaration . (variable_declarator name: (identifier) @name !value) .)
  (variable_declaration . (variable_declarator name: (identifier) @name !value) .)
] @definition.constant)
(program (_ (variable_declarator) . (variable_declarator name: (identifier) @name !value) @definition.constant))
(program (_ (variable_declarator name: (identifier) @name !value) @definition.constant . (variable_declarator)))
(program ([
  (lexical_declaration . (variable_declarator name: (identifier) @name value: (_) @_value) .)
  (variable_declaration . (variable_declarator name: (identifier) @name value: (_) @_value) .)
] @definition.constant (#not-match? @_value "^require\\(")))
(program (_ (variable_declarator) . (variable_declarator name: (identifier) @name value: (_) @_value) @definition.constant)
  (#not-match? @_value "^require\\("))
(program (_ (variable_declarator name: (identifier) @name value: (_) @_value) @definition.constant . (variable_declarator))
  (#not-match? @_value "^require\\("))
(program (export_statement declaration: (_ (variable_declarator) . (variable_declarator name: (identifier) @name) @definition.constant)))
(program (export_statement declaration: (_ (variable_declarator name: (identifier) @name) @definition.constant . (variable_declarator))))
(export_statement declaration: (lexical_declaration (variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @name @definition.constant
    (pair_pattern value: (identifier) @name @definition.constant)]))))
(program (expression_statement ((assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name)
  right: [(object) (array) (string) (template_string) (number) (regex) (true) (false) (new_expression) (binary_expression)]) @definition.constant
  (#eq? @_exports "exports"))))

; The statement around a definition gives its extent.
(export_statement declaration: (_ name: (identifier) @name)) @definition.function
(export_statement declaration: [
  (lexical_declaration . (variable_declarator name: (identifier) @name) .)
  (variable_declaration . (variable_declarator name: (identifier) @name) .)
]) @definition.constant

(comment) @comment
(decorator) @decorator

(import_statement) @import
(export_statement source: (string)) @import
(program (_ (variable_declarator value: [
    (call_expression function: (identifier) @_require)
    (call_expression function: (call_expression function: (identifier) @_require))
    (member_expression object: (call_expression function: (identifier) @_require))
  ]) @import)
  (#eq? @_require "require"))
(program (expression_statement (call_expression function: (identifier) @_require)) @import
  (#eq? @_require "require"))

(call_expression function: [
  (identifier) @call
  (member_expression property: [(property_identifier) (private_property_identifier)] @call)
  (subscript_expression object: [(identifier) @call (member_expression property: (property_identifier) @call)])])
(new_expression constructor: [(identifier) @call (member_expression property: (property_identifier) @call)])
(jsx_opening_element name: [(identifier) @call (member_expression property: (property_identifier) @call)]
  (#match? @call "^[A-Z]"))
(jsx_self_closing_element name: [(identifier) @call (member_expression property: (property_identifier) @call)]
  (#match? @call "^[A-Z]"))
