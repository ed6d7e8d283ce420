"""Per language, the query for what names are bound to: a value, an element of a value, a type."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BINDINGS"]

JAVASCRIPT = """
(variable_declarator name: (identifier) @name value: (_) @value)
(variable_declarator name: (array_pattern . (identifier) @name) value: (_) @element)
(assignment_expression left: [(identifier) (member_expression)] @name right: (_) @value)
(for_in_statement left: (identifier) @name right: (_) @element)
(call_expression function: (member_expression object: (_) @element property: (property_identifier) @_method
    (#any-of? @_method "map" "forEach" "filter" "some" "every" "find" "flatMap"))
  arguments: (arguments . (arrow_function parameter: (identifier) @name)))
"""
JAVASCRIPT_ONLY = """
(field_definition property: (property_identifier) @field value: (_) @value)
(call_expression function: (member_expression object: (_) @element property: (property_identifier) @_method
    (#any-of? @_method "map" "forEach" "filter" "some" "every" "find" "flatMap"))
  arguments: (arguments . (arrow_function parameters: (formal_parameters . (identifier) @name))))
"""
TYPESCRIPT = (
    JAVASCRIPT
    + """
(variable_declarator name: (identifier) @name type: (type_annotation (_) @type))
(required_parameter pattern: (identifier) @name type: (type_annotation (_) @type))
(optional_parameter pattern: (identifier) @name type: (type_annotation (_) @type))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @type))
(required_parameter "readonly" pattern: (identifier) @field type: (type_annotation (_) @type))
(public_field_definition name: (property_identifier) @field type: (type_annotation (_) @type))
(public_field_definition name: (property_identifier) @field value: (_) @value)
(call_expression function: (member_expression object: (_) @element property: (property_identifier) @_method
    (#any-of? @_method "map" "forEach" "filter" "some" "every" "find" "flatMap"))
  arguments: (arguments . (arrow_function
    parameters: (formal_parameters . (required_parameter pattern: (identifier) @name)))))
"""
)
JAVA = """
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @name value: (_) @value))
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @field))
(formal_parameter type: (_) @type name: (identifier) @name)
(enhanced_for_statement type: (_) @type name: (identifier) @name)
(enhanced_for_statement name: (identifier) @name value: (_) @element)
(assignment_expression left: [(identifier) (field_access)] @name right: (_) @value)
(resource type: (_) @type name: (identifier) @name)
"""
KOTLIN = """
(parameter (identifier) @name (_) @type)
(class_parameter (identifier) @field (_) @type)
(property_declaration (variable_declaration (identifier) @name (_) @type))
(property_declaration (variable_declaration (identifier) @name) (_) @value)
(for_statement (variable_declaration (identifier) @name) . (_) @element)
(assignment left: (identifier) @name right: (_) @value)
"""
GO = """
(short_var_declaration left: (expression_list . (identifier) @name) right: (expression_list . (_) @value))
(assignment_statement left: (expression_list . (identifier) @name) right: (expression_list . (_) @value))
(var_spec name: (identifier) @name type: (_) @type)
(var_spec name: (identifier) @name value: (expression_list . (_) @value))
(parameter_declaration name: (identifier) @name type: (_) @type)
(range_clause left: (expression_list (_) . (identifier) @name) right: (_) @element)
"""
RUBY = """
(assignment left: (identifier) @name right: (_) @value)
(assignment left: (instance_variable) @name right: (_) @value)
(operator_assignment left: (identifier) @name right: (_) @value)
(operator_assignment left: (instance_variable) @name right: (_) @value)
(call receiver: (_) @element block: (block parameters: (block_parameters . (identifier) @name)))
(call receiver: (_) @element block: (do_block parameters: (block_parameters . (identifier) @name)))
"""
PHP = """
(assignment_expression left: (variable_name) @name right: (_) @value)
(assignment_expression left: (member_access_expression) @name right: (_) @value)
(foreach_statement . (_) @element (variable_name) @name)
(simple_parameter type: (_) @type name: (variable_name) @name)
(property_promotion_parameter type: (_) @type name: (variable_name) @field)
(property_declaration type: (_) @type (property_element name: (variable_name) @field))
"""
CSHARP = """
(variable_declaration type: (_) @type (variable_declarator name: (identifier) @name))
(variable_declarator name: (identifier) @name (_) @value)
(parameter type: (_) @type name: (identifier) @name)
(foreach_statement type: (_) @type left: (identifier) @name)
(foreach_statement left: (identifier) @name right: (_) @element)
(assignment_expression left: (identifier) @name right: (_) @value)
(property_declaration type: (_) @type name: (identifier) @field)
"""
RUST = """
(let_declaration pattern: (identifier) @name value: (_) @value)
(let_declaration pattern: (identifier) @name type: (_) @type)
(let_declaration pattern: (mut_pattern (identifier) @name) value: (_) @value)
(let_declaration pattern: (tuple_struct_pattern type: (identifier) . (identifier) @name .) value: (_) @value)
(let_condition pattern: (tuple_struct_pattern type: (identifier) . (identifier) @name .) value: (_) @value)
(parameter pattern: (identifier) @name type: (_) @type)
(for_expression pattern: (identifier) @name value: (_) @element)
"""
ELIXIR = """
(binary_operator left: (identifier) @name operator: "=" right: (_) @value)
(binary_operator left: (identifier) @name operator: "<-" right: (_) @element)
(binary_operator left: (tuple (atom) . (identifier) @name) operator: ["=" "<-"] right: (_) @value)
(binary_operator left: (map (struct (alias) @type)) operator: "=" right: (identifier) @name)
"""
BINDINGS: Mapping[str, str] = {
    "javascript": JAVASCRIPT + JAVASCRIPT_ONLY,
    "typescript": TYPESCRIPT,
    "tsx": TYPESCRIPT,
    "java": JAVA,
    "kotlin": KOTLIN,
    "go": GO,
    "ruby": RUBY,
    "php": PHP,
    "csharp": CSHARP,
    "rust": RUST,
    "elixir": ELIXIR,
}
