"""What grammars call their nodes, of all languages: literals, calls, assignments, functions, classes and the like.

They stand here and not in `parsers/`: read from 25 files of TOML, they took each update of an index 5 ms.
"""

from __future__ import annotations

__all__ = [
    "ANY_CALL",
    "ARGUMENTS",
    "ARGUMENT_LISTS",
    "ASSIGNMENTS",
    "BINARY",
    "BLOCKS",
    "BRANCHES",
    "CALLS",
    "CALL_FIELDS",
    "CHAIN_NAMES",
    "CHAIN_WRAPPERS",
    "CLASSES",
    "CLOSURES",
    "COMPARISONS",
    "CONCATENATED",
    "CONDITIONALS",
    "CONDITIONS",
    "ENUM_MEMBERS",
    "FUNCTIONS",
    "GENERICS",
    "JAVASCRIPT_FUNCTIONS",
    "JVM_CLASSES",
    "LAMBDAS",
    "LISTS",
    "LITERALS",
    "LOGICAL",
    "LOOPS",
    "MEMBERS",
    "MEMBER_FIELDS",
    "NAMES",
    "OPERATORS",
    "PAIRS",
    "PARAMETERS",
    "PATTERNS",
    "PLAIN_CALLS",
    "RETURNS",
    "SUBSCRIPTS",
    "TARGET_WRAPPERS",
    "TERNARY",
    "TRANSPARENT",
    "TYPE_WRAPPERS",
    "UNARY",
]

# Literals and collections

LITERALS = frozenset(
    """string template_string string_literal interpreted_string_literal raw_string_literal encapsed_string heredoc
    nowdoc heredoc_beginning interpolated_string_expression verbatim_string_literal multiline_string_literal
    line_string_literal multi_line_string_literal sigil bare_string""".split()
)
CONCATENATED = frozenset({"concatenated_string", "chained_string"})  # literals side by side
LISTS = frozenset(
    """list array tuple array_literal list_literal collection_literal array_creation_expression array_expression
    composite_literal literal_value string_array initializer_expression implicit_array_creation_expression
    array_initializer element_value_array_initializer collection_expression""".split()
)
PAIRS = frozenset("pair keyword_argument keyed_element array_element_initializer field_initializer".split())

# Names and members

NAMES = frozenset(
    """identifier constant variable_name simple_identifier property_identifier name class_variable instance_variable
    field_identifier global_variable alias type_identifier shorthand_property_identifier""".split()
)
CHAIN_NAMES = (NAMES - {"global_variable"}).union(  # a chain of calls may begin with one, or go through it
    """private_property_identifier this self super super_expression this_expression crate package_identifier
    metavariable predefined_type qualified_name base""".split()
)
MEMBERS = frozenset(
    """attribute member_expression selector_expression field_access navigation_expression member_access_expression
    nullsafe_member_access_expression field_expression scoped_identifier class_constant_access_expression
    scoped_property_access_expression scope_resolution dot qualified_identifier qualified_name
    stable_identifier""".split()
)
MEMBER_FIELDS = {  # of the object and of the name, of each grammar that has them; other members are read by position
    "attribute": (("object", "attribute"),),
    "class_constant_access_expression": (),
    "dot": (("left", "right"),),
    "field_access": (("object", "field"),),
    "field_expression": (("value", "field"), ("argument", "field"), ("object", "member")),  # Rust and Scala, C, Zig
    "member_access_expression": (("expression", "name"), ("object", "name")),  # C#, PHP
    "member_expression": (("object", "property"),),
    "nullsafe_member_access_expression": (("object", "name"),),
    "scope_resolution": (("scope", "name"),),
    "scoped_identifier": (("path", "name"),),
    "scoped_property_access_expression": (("scope", "name"),),
    "selector_expression": (("operand", "field"),),
}
SUBSCRIPTS = frozenset("subscript subscript_expression index_expression element_access_expression".split())

# Calls

PLAIN_CALLS = frozenset({"call", "call_expression"})  # whose function is any expression
CALLS = PLAIN_CALLS.union(
    """method_invocation invocation_expression member_call_expression function_call_expression
    nullsafe_member_call_expression scoped_call_expression macro_invocation object_creation_expression new_expression
    instance_expression annotation attribute_item constructor_invocation""".split()
)
CALL_FIELDS = {  # of what is called and of what it is called on
    "call": (("function", "method", "target"), ("receiver",)),  # Python, Ruby, Elixir
    "call_expression": (("function",), ()),
    "function_call_expression": (("function",), ()),
    "invocation_expression": (("function",), ()),
    "member_call_expression": (("name",), ("object",)),
    "method_invocation": (("method", "name"), ("object",)),
    "new_expression": (("constructor", "type"), ()),
    "nullsafe_member_call_expression": (("name",), ("object",)),
    "object_creation_expression": (("type",), ()),
    "scoped_call_expression": (("name",), ("scope",)),
}
ANY_CALL = (("function", "method", "macro", "constructor", "type", "name"), ("receiver", "object", "scope"))
ARGUMENT_LISTS = frozenset({"argument_list", "arguments", "value_arguments"})
ARGUMENTS = ARGUMENT_LISTS | {"token_tree", "annotation_argument_list", "attribute_argument_list"}
GENERICS = frozenset(  # around the name of a call
    """generic_function generic_type generic_name user_type template_function await_expression non_null_expression
    instantiation_expression""".split()
)

# Assignments

ENUM_MEMBERS = frozenset({"enum_constant", "enum_entry"})
ASSIGNMENTS = ENUM_MEMBERS.union(
    """assignment augmented_assignment named_expression variable_declarator assignment_expression
    augmented_assignment_expression public_field_definition field_definition const_spec var_spec
    short_var_declaration assignment_statement property_declaration operator_assignment const_element
    property_element const_item static_item let_declaration compound_assignment_expr val_definition var_definition
    init_declarator field_declaration preproc_def static_final_declaration initialized_identifier
    initialized_variable_definition pair keyed_element""".split()
)
PATTERNS = frozenset(  # several targets or values
    "expression_list pattern_list tuple_pattern array_pattern left_assignment_list right_assignment_list".split()
)
TARGET_WRAPPERS = frozenset(
    """argument value_argument argument_part literal_element expression_list pattern directly_assignable_expression
    assignable_expression variable_declaration array_element_initializer annotated_lambda""".split()
)

# Functions and classes

JAVASCRIPT_FUNCTIONS = frozenset("arrow_function function_expression function_declaration method_definition".split())
FUNCTIONS = JAVASCRIPT_FUNCTIONS.union(
    """function_definition generator_function_declaration generator_function method_declaration
    constructor_declaration func_literal method singleton_method function_item local_function_statement
    secondary_constructor init_declaration anonymous_function""".split()
)
LAMBDAS = frozenset("lambda lambda_expression closure_expression lambda_literal stab_clause func_literal".split())
CLOSURES = frozenset("block do_block annotated_lambda lambda_literal".split())  # behind the arguments of a call
PARAMETERS = frozenset(
    """parameters formal_parameters function_value_parameters parameter_list method_parameters
    formal_parameter_list""".split()
)
JVM_CLASSES = frozenset("class_declaration record_declaration enum_declaration object_declaration".split())
CLASSES = JVM_CLASSES.union(
    """class_definition class interface_declaration object_definition trait_definition module impl_item trait_item
    trait_declaration struct_declaration class_specifier struct_specifier mod_item abstract_class_declaration""".split()
)

# Statements

BLOCKS = frozenset("block body_statement do_block then statement_block template_body statements".split())
RETURNS = frozenset("return_statement return_expression return control_transfer_statement yield".split())
LOOPS = frozenset(
    "range_clause for_statement for_in_statement enhanced_for_statement foreach_statement for_in_clause".split()
)
CONDITIONS = frozenset(
    """if_statement if_expression elif_clause else_clause switch_statement switch_expression case match_statement
    match_expression when_expression for_statement for_in_statement while_statement enhanced_for_statement
    foreach_statement expression_switch_statement if_modifier unless_modifier if unless while for for_expression
    case_clause expression_case switch_case switch_section when_entry match_arm case_item while_expression
    guard_statement""".split()
)
CONDITIONALS = frozenset(  # expressions with several branches
    "if_expression if unless when_expression match_expression case switch_expression".split()
)
BRANCHES = frozenset(
    """block case_block case_clause else else_clause elsif match_arm match_block switch_block
    switch_expression_arm switch_rule then when when_entry""".split()
)

# Operators

OPERATORS = frozenset("binary infix_expression binary_operator binary_expression".split())
LOGICAL = OPERATORS | {"boolean_operator"}
BINARY = LOGICAL | {"additive_expression", "nil_coalescing_expression", "logical_or_expression"}
COMPARISONS = frozenset(
    """comparison_operator equality_expression comparison_expression relational_expression
    in_expression""".split()
)
UNARY = frozenset({"unary", "unary_expression"})
TERNARY = frozenset({"conditional_expression", "ternary_expression", "conditional"})

# Nodes that wrap an expression and do not change its value

TYPE_WRAPPERS = frozenset(  # of JavaScript and TypeScript
    "as_expression satisfies_expression parenthesized_expression non_null_expression await_expression".split()
)
CHAIN_WRAPPERS = TYPE_WRAPPERS.union(
    """await try_expression reference_expression cast_expression parenthesized_statements
    conditional_access_expression type expression_list literal_element argument value_argument checked_expression
    postfix_expression spread_element dictionary_splat list_splat splat_argument block_argument
    postfix_unary_expression type_annotation""".split()
)
TRANSPARENT = TYPE_WRAPPERS.union(
    UNARY,
    RETURNS - {"yield"},
    """annotated_lambda argument argument_list arrow_expression_clause as_pattern await begin_block block
    body_statement cast_expression checked_expression do_block else else_clause expression expression_list
    expression_statement indented_block literal_element parenthesized_statements pointer_expression
    postfix_expression postfix_unary_expression prefix_expression ref_expression
    reference_expression statements then try_expression type_cast_expression value_argument
    value_argument_label""".split(),
)
