; Bases.
(extends_clause value: [(identifier) (member_expression)] @inherit)
(extends_clause value: (call_expression arguments: (arguments [(identifier) (member_expression)] @inherit)))
(implements_clause [(type_identifier) (nested_type_identifier)] @implement)
(implements_clause (generic_type name: (_) @implement))
(extends_type_clause type: [(type_identifier) (nested_type_identifier)] @inherit)
(extends_type_clause type: (generic_type name: (_) @inherit))

; Types.
(type_identifier) @type
(import_statement (import_require_clause (identifier) @alias (string) @module))
(import_alias (identifier) @variable (nested_identifier) @valued)

; Declared types.
(required_parameter pattern: (identifier) @variable type: (type_annotation (_) @typed))
(optional_parameter pattern: (identifier) @variable type: (type_annotation (_) @typed))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @typed))
(required_parameter "readonly" pattern: (identifier) @field type: (type_annotation (_) @typed))
; What is taken out of an object by its own name: ({ store }: Services), ({ store }: Pick<Services, "store">).
(required_parameter
  pattern: (object_pattern (shorthand_property_identifier_pattern) @variable)
  type: (type_annotation (type_identifier) @member_of))
((required_parameter
  pattern: (object_pattern (shorthand_property_identifier_pattern) @variable)
  type: (type_annotation (generic_type
    name: (type_identifier) @_utility
    type_arguments: (type_arguments . (type_identifier) @member_of))))
  (#any-of? @_utility "Pick" "Omit" "Readonly" "Partial" "Required"))
; What is taken out of what a call gives: const { save } = useForm().
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @variable)
  value: (call_expression function: (identifier) @result_of))
(public_field_definition name: (property_identifier) @variable type: (type_annotation (_) @typed))
(public_field_definition name: (property_identifier) @variable value: (new_expression constructor: (_) @called))
(public_field_definition name: (property_identifier) @variable value: (call_expression function: [(identifier) (member_expression)] @called))
; ... by a container, which is told the class: inject(Mailer), container.get(Mailer).
((public_field_definition name: (property_identifier) @variable
  value: (call_expression function: (identifier) @_made arguments: (arguments . (identifier) @typed)))
  (#any-of? @_made "inject" "resolve") (#match? @typed "^[A-Z]"))
((variable_declarator name: (identifier) @variable
  value: (call_expression function: [(identifier) @_made (member_expression property: (property_identifier) @_made)]
    arguments: (arguments . (identifier) @typed)))
  (#any-of? @_made "inject" "resolve" "get") (#match? @typed "^[A-Z]"))
(property_signature name: (property_identifier) @variable type: (type_annotation (_) @typed))
(variable_declarator name: (identifier) @variable type: (type_annotation (_) @typed))
(variable_declarator name: (identifier) @variable value: (as_expression (_) . (_) @typed))
(function_declaration return_type: (type_annotation (_) @returns))
(method_definition return_type: (type_annotation (_) @returns))
(arrow_function return_type: (type_annotation (_) @returns))
(method_signature return_type: (type_annotation (_) @returns))
(function_signature return_type: (type_annotation (_) @returns))
(abstract_method_signature return_type: (type_annotation (_) @returns))
(required_parameter pattern: (identifier) @local !type)
(optional_parameter pattern: (identifier) @local !type)
(as_expression (identifier) @reference)
(non_null_expression (identifier) @reference)

; Imports.
(import_statement (import_clause (identifier) @alias @default) source: (string) @module)
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module)
(import_statement (import_clause (named_imports (import_specifier name: (_) @name !alias))) source: (string) @module)
(import_statement (import_clause (named_imports (import_specifier name: (_) @name alias: (identifier) @alias))) source: (string) @module)
(import_statement . source: (string) @module)
(export_statement "*" @all @exported source: (string) @module)
(export_statement (namespace_export (_) @alias @exported) source: (string) @module)
(export_statement (export_clause (export_specifier name: (_) @name !alias)) @exported source: (string) @module)
(export_statement (export_clause (export_specifier name: (_) @name alias: (_) @alias)) @exported source: (string) @module)
((variable_declarator name: (identifier) @alias value: (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)))
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @alias value: (member_expression
    object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module))
    property: (property_identifier) @name))
  (#eq? @_require "require"))
((variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name) value: (call_expression
    function: (identifier) @_require arguments: (arguments . (string) @module)))
  (#eq? @_require "require"))
((variable_declarator
  name: (object_pattern (pair_pattern key: (_) @name value: (identifier) @alias))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module)))
  (#eq? @_require "require"))
((call_expression function: (identifier) @_require arguments: (arguments . (string) @module))
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @module))
(variable_declarator name: (identifier) @alias value: (await_expression (call_expression
  function: (import) arguments: (arguments . (string) @module))))
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @name)
  value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @module))))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module @all @exported)))
  (#eq? @_module "module") (#eq? @_exports "exports") (#eq? @_require "require"))

; Exports.
(export_statement declaration: (_ name: (_) @export))
(export_statement declaration: (_ (variable_declarator name: (identifier) @export)))
(export_statement (export_clause (export_specifier name: (_) @export !alias)) !source)
(export_statement (export_clause (export_specifier alias: (_) @export)) !source)
(export_statement "default" @export)
(export_statement "default" @default value: (identifier) @valued)
(export_statement "default" @default declaration: (_ name: (_) @valued))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object [(shorthand_property_identifier) @export (pair key: (property_identifier) @export)]))
  (#eq? @_module "module") (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @export))
  (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports @default)
  right: [(identifier) (member_expression)] @valued)
  (#eq? @_module "module") (#eq? @_exports "exports"))

; Decorators.
(decorator [(identifier) (member_expression)] @decorate)
(decorator (call_expression function: [(identifier) (member_expression)] @decorate))

; What a variable is made of.
(variable_declarator name: (identifier) @variable value: (new_expression constructor: (_) @called))
(variable_declarator name: (identifier) @variable value: (call_expression function: [(identifier) (member_expression)] @called))
(variable_declarator name: (identifier) @variable value: (await_expression (call_expression function: [(identifier) (member_expression)] @called)))
(variable_declarator name: (identifier) @variable value: (await_expression (new_expression constructor: (_) @called)))
(variable_declarator name: (identifier) @variable value: [(identifier) (member_expression)] @valued)
(variable_declarator name: (identifier) @variable value: (subscript_expression object: (_) @element))
(assignment_expression left: [(identifier) (member_expression)] @variable right: (new_expression constructor: (_) @called))
(assignment_expression left: [(identifier) (member_expression)] @variable right: (call_expression function: [(identifier) (member_expression)] @called))
(assignment_expression left: [(identifier) (member_expression)] @variable right: [(identifier) (member_expression)] @valued)
(assignment_expression left: (member_expression) @variable right: (await_expression (call_expression function: [(identifier) (member_expression)] @called)))
(for_in_statement left: (identifier) @variable operator: "of" right: (_) @element)

; Names that hide others.
(arrow_function parameter: (identifier) @local)
(assignment_pattern left: (identifier) @local)
(variable_declarator name: (identifier) @local !type)
(shorthand_property_identifier_pattern) @local
(object_pattern (pair_pattern value: (identifier) @local))
(array_pattern (identifier) @local)
(rest_pattern (identifier) @local)
(for_in_statement left: (identifier) @local)
(catch_clause parameter: (identifier) @local)

; Values.
(member_expression property: [(property_identifier) (private_property_identifier)] @reference)
(shorthand_property_identifier) @reference
(arguments (identifier) @reference)
(pair value: (identifier) @reference)
(computed_property_name (identifier) @reference)
(array (identifier) @reference)
(spread_element (identifier) @reference)
(assignment_expression right: (identifier) @reference)
(assignment_pattern right: (identifier) @reference)
(augmented_assignment_expression (identifier) @reference)
(variable_declarator value: (identifier) @reference)
(return_statement (identifier) @reference)
(throw_statement (identifier) @reference)
(binary_expression (identifier) @reference)
(unary_expression (identifier) @reference)
(update_expression (identifier) @reference)
(ternary_expression (identifier) @reference)
(parenthesized_expression (identifier) @reference)
(subscript_expression (identifier) @reference)
(template_substitution (identifier) @reference)
(arrow_function body: (identifier) @reference)
(await_expression (identifier) @reference)
(yield_expression (identifier) @reference)
(for_in_statement right: (identifier) @reference)
(export_statement value: (identifier) @reference)
(sequence_expression (identifier) @reference)

; Routes: tables of routers, NestJS.
((object
  (pair key: (property_identifier) @_path value: (string) @address)
  (pair key: (property_identifier) @_route value: (identifier) @handler)) @mount
  (#eq? @_path "path") (#any-of? @_route "route" "router"))
((decorator (call_expression function: (identifier) @_controller arguments: (arguments . [(string) (template_string)] @prefix)))
  (#any-of? @_controller "Controller" "JsonController"))
((decorator (call_expression function: (identifier) @_controller arguments: (arguments . (object
    (pair key: (property_identifier) @_path value: [(string) (template_string)] @prefix)))))
  (#eq? @_controller "Controller") (#eq? @_path "path"))
((decorator (call_expression function: (identifier) @verb arguments: (arguments . (string) @address)))
  (#any-of? @verb "Get" "Post" "Put" "Patch" "Delete" "Head" "Options" "All" "Sse"))
((decorator (call_expression function: (identifier) @verb @address arguments: (arguments . ")")))
  (#any-of? @verb "Get" "Post" "Put" "Patch" "Delete" "Head" "Options" "All" "Sse"))
