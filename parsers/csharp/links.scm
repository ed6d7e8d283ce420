(compilation_unit (file_scoped_namespace_declaration name: (_) @package))
(compilation_unit . (namespace_declaration name: (_) @package))
(compilation_unit (using_directive) . (namespace_declaration name: (_) @package))

; Imports.
(using_directive . [(identifier) (qualified_name) (alias_qualified_name)] @module @all .)
(using_directive name: (identifier) @alias (_) @module .)

; Bases: an interface is called I...
((class_declaration (base_list [(identifier) (qualified_name)] @inherit)) (#not-match? @inherit "(^|\\.)I[A-Z][a-z]"))
((class_declaration (base_list (generic_name . (identifier) @inherit))) (#not-match? @inherit "^I[A-Z][a-z]"))
((class_declaration (base_list [(identifier) (qualified_name)] @implement)) (#match? @implement "(^|\\.)I[A-Z][a-z]"))
((class_declaration (base_list (generic_name . (identifier) @implement))) (#match? @implement "^I[A-Z][a-z]"))
((record_declaration (base_list [
  (identifier) @inherit (qualified_name) @inherit
  (primary_constructor_base_type type: (_) @inherit)]))
  (#not-match? @inherit "(^|\\.)I[A-Z][a-z]"))
((record_declaration (base_list [(identifier) (qualified_name)] @implement)) (#match? @implement "(^|\\.)I[A-Z][a-z]"))
(record_declaration (base_list (generic_name . (identifier) @implement)))
(class_declaration (base_list (primary_constructor_base_type type: [(identifier) (qualified_name)] @inherit)))
(struct_declaration (base_list [(identifier) (qualified_name)] @implement))
(struct_declaration (base_list (generic_name . (identifier) @implement)))
(interface_declaration (base_list [(identifier) (qualified_name)] @inherit))
(interface_declaration (base_list (generic_name . (identifier) @inherit)))

(attribute name: (_) @decorate)

; Declared types.
(type_argument_list [(identifier) (qualified_name)] @type)
(parameter type: (_) @typed name: (identifier) @variable)
(record_declaration (parameter_list (parameter type: (_) @typed name: (identifier) @field)))
(class_declaration (parameter_list (parameter type: (_) @typed name: (identifier) @field)))
((variable_declaration type: (_) @typed (variable_declarator name: (identifier) @variable)) (#not-eq? @typed "var"))
(property_declaration type: (_) @typed name: (identifier) @field)
((foreach_statement type: (_) @typed left: (identifier) @variable) (#not-eq? @typed "var"))
(declaration_pattern type: (_) @typed name: (identifier) @variable)
(catch_declaration type: (_) @typed name: (identifier) @variable)
(method_declaration returns: (_) @returns)
(local_function_statement type: (_) @returns)
(typeof_expression type: [(identifier) (qualified_name)] @type)
(cast_expression type: [(identifier) (qualified_name) (generic_name)] @type)
(is_pattern_expression pattern: (constant_pattern (identifier) @type))
(as_expression right: [(identifier) (qualified_name) (generic_name)] @type)
(catch_declaration type: (_) @type)
(type_parameter_constraint type: (_) @type)

; What a variable is made of.
((variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @variable (object_creation_expression type: (_) @typed))))
((variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @variable (invocation_expression function: (_) @called))))
((variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @variable (await_expression (invocation_expression function: (_) @called)))))
((variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @variable (cast_expression type: (_) @typed))))
((variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @variable (as_expression right: (_) @typed))))
((variable_declaration
  type: (implicit_type)
  (variable_declarator name: (identifier) @variable [(identifier) (member_access_expression)] @valued)))
((variable_declaration type: (implicit_type)
  (variable_declarator name: (identifier) @variable (invocation_expression
    function: (member_access_expression name: (generic_name (identifier) @_made (type_argument_list . (_) @typed .))))))
  (#any-of? @_made "GetRequiredService" "GetService" "GetRequiredKeyedService" "GetKeyedService" "Resolve"))
(foreach_statement type: (implicit_type) left: (identifier) @variable right: (_) @element)

; Names that hide others.
(parameter name: (identifier) @local)
(implicit_parameter) @local
(variable_declarator name: (identifier) @local)
(foreach_statement left: (identifier) @local)
(declaration_pattern name: (identifier) @local)
(catch_declaration name: (identifier) @local)
(tuple_pattern (identifier) @local)
(from_clause name: (identifier) @local)

; Values.
(member_access_expression name: (identifier) @reference)
((argument (identifier) @reference) (#not-eq? @reference "value"))
(variable_declarator name: (_) (identifier) @reference)
((assignment_expression (identifier) @reference) (#not-eq? @reference "value"))
(return_statement (identifier) @reference)
(binary_expression (identifier) @reference)
(conditional_expression (identifier) @reference)
(prefix_unary_expression (identifier) @reference)
(postfix_unary_expression (identifier) @reference)
(parenthesized_expression (identifier) @reference)
(initializer_expression (identifier) @reference)
(attribute_argument . (identifier) @reference .)
(interpolation (identifier) @reference)
(arrow_expression_clause (identifier) @reference)
(lambda_expression body: (identifier) @reference)
(foreach_statement right: (identifier) @reference)
(switch_expression (identifier) @reference)
(await_expression (identifier) @reference)
(element_access_expression expression: (identifier) @reference)

; Routes: ASP.NET.
((class_declaration (attribute_list (attribute
  name: (identifier) @_route
  (attribute_argument_list . (attribute_argument (string_literal) @prefix)))))
  (#any-of? @_route "Route" "RoutePrefix"))
((method_declaration (attribute_list (attribute
  name: (identifier) @verb
  (attribute_argument_list . (attribute_argument (string_literal) @address)))))
  (#any-of? @verb "HttpGet" "HttpPost" "HttpPut" "HttpPatch" "HttpDelete" "HttpHead" "HttpOptions" "Route"))
((method_declaration (attribute_list (attribute name: (identifier) @verb @address .)))
  (#any-of? @verb "HttpGet" "HttpPost" "HttpPut" "HttpPatch" "HttpDelete" "HttpHead" "HttpOptions"))
((invocation_expression
  function: (member_access_expression name: (identifier) @verb)
  arguments: (argument_list . (argument (string_literal) @address) . (argument [(identifier) (member_access_expression) (lambda_expression)] @handler)))
  (#any-of? @verb "MapGet" "MapPost" "MapPut" "MapPatch" "MapDelete"))
