(namespace_definition name: (namespace_name) @name body: (_)) @definition.module

(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum

(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method

; A function bound to a name: $f = function () {}; $this->f = fn() => 1; ['f' => function () {}]
(assignment_expression
  left: [(variable_name (name) @name) (member_access_expression name: (name) @name)]
  right: [(anonymous_function) (arrow_function)]) @definition.function
(array_element_initializer . (string (string_content) @name) [(anonymous_function) (arrow_function)]) @definition.function

(const_declaration (const_element . (name) @name)) @definition.constant
(enum_case name: (name) @name) @definition.field
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(program (expression_statement (assignment_expression left: (variable_name (name) @name))) @definition.constant)
(function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_define "define")) @definition.constant

; Pest: it('adds', function () { ... })
(function_call_expression
  function: (name) @_group
  arguments: (arguments . (argument (string) @name) . (argument [(anonymous_function) (arrow_function)]))
  (#eq? @_group "describe")) @definition.module
(function_call_expression
  function: (name) @_test
  arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function) (arrow_function)]))
  (#any-of? @_test "it" "test")) @definition.function

(comment) @comment
(attribute_group) @decorator

(namespace_use_declaration) @import
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
(include_once_expression) @import

(function_call_expression function: [(name) @call (qualified_name (name) @call)])
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression (qualified_name (name) @call))
((object_creation_expression (name) @call) (#not-eq? @call "static") (#not-eq? @call "self"))
