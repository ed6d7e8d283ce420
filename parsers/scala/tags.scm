(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(full_enum_case name: (_) @name) @definition.class
(simple_enum_case name: (_) @name) @definition.field
(enum_case_definitions . (simple_enum_case name: (_) @name) .) @definition.field
(enum_case_definitions . (full_enum_case name: (_) @name) .) @definition.class
(package_object name: (_) @name) @definition.module
(package_clause name: (_) @name body: (_)) @definition.module
(type_definition name: (_) @name) @definition.type

(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function

(given_definition name: (_) @name) @definition.extension
(given_definition !name return_type: (_) @name) @definition.extension
(extension_definition parameters: (parameters . (parameter type: (type_identifier) @name) .)) @definition.extension
(extension_definition parameters: (parameters . (parameter type: (generic_type type: (type_identifier) @name)) .)) @definition.extension

; An anonymous function bound to a name.
(val_definition pattern: (identifier) @name value: (lambda_expression)) @definition.function

(compilation_unit [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)
] @definition.constant)
(object_definition body: (template_body [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)
] @definition.constant))
(package_object body: (template_body [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)
] @definition.constant))
(template_body [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)
  (val_declaration name: (identifier) @name)
  (var_declaration name: (identifier) @name)
] @definition.field)
(template_body [
  (val_definition pattern: (identifiers (identifier) @name @definition.field))
  (var_definition pattern: (identifiers (identifier) @name @definition.field))
])
(with_template_body [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)
] @definition.field)
(class_definition "case" class_parameters: (class_parameters . (class_parameter name: (identifier) @name) @definition.field))
(class_definition "case" class_parameters: (class_parameters (class_parameter) . (class_parameter name: (identifier) @name) @definition.field))
(class_parameter ["val" "var"] . name: (identifier) @name) @definition.field
(full_enum_case class_parameters: (class_parameters (class_parameter name: (identifier) @name) @definition.field))

; Tests: test("name") { }, describe("a stack") { }, "a stack" should { }, "pop" in { }, it should "pop" in { }
((call_expression
  function: (call_expression function: (identifier) @_block arguments: (arguments . (string) @name))
  arguments: [(block) (case_block)] @body) @definition.module
  (#any-of? @_block "describe" "feature" "Feature"))
((call_expression
  function: (call_expression function: (identifier) @_block arguments: (arguments . (string) @name))
  arguments: [(block) (case_block)] @body) @definition.function
  (#any-of? @_block "test" "it" "they" "property" "ignore" "scenario" "Scenario"))
((infix_expression left: (string) @name operator: (identifier) @_block right: (block) @body) @definition.module
  (#any-of? @_block "should" "when" "must" "can" "which" "that"))
((infix_expression
  left: [(string) @name (infix_expression right: (string) @name)]
  operator: (identifier) @_block
  right: (block) @body) @definition.function
  (#any-of? @_block "in" "ignore"))

(comment) @comment
(block_comment) @comment
(annotation) @decorator

(import_declaration) @import
(export_declaration) @import

(call_expression function: [
  (identifier) @call
  (field_expression field: (identifier) @call)
  (generic_function function: [(identifier) @call (field_expression field: (identifier) @call)])])
(instance_expression [
  (type_identifier) @call
  (generic_type type: (type_identifier) @call)
  (stable_type_identifier (type_identifier) @call .)])
(infix_expression operator: (identifier) @call)
