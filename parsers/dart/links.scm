; Imports: without a name for it, everything of a library is known.
(library_import (import_specification (configurable_uri) @module @all .))
(library_import (import_specification (configurable_uri) @module . (identifier) @alias))
(library_import (import_specification (configurable_uri) @module . (combinator (identifier) @name)))
(library_export (configurable_uri) @module @all @exported)
(part_directive (uri) @module @all)
(part_of_directive (uri) @module @all)

; Bases.
(superclass . (type_identifier) @inherit)
(mixins (type_identifier) @inherit)
(interfaces (type_identifier) @implement)

(annotation name: (identifier) @decorate)

; Declared types.
(type_identifier) @type
(formal_parameter . (type_identifier) @typed name: (identifier) @variable)
(declaration (type_identifier) @typed . (initialized_identifier_list (initialized_identifier . (identifier) @variable)))
(declaration (type_identifier) @typed . (type_arguments) . (initialized_identifier_list (initialized_identifier . (identifier) @variable)))
(initialized_variable_definition (type_identifier) @typed . name: (identifier) @variable)
(function_signature . (type_identifier) @returns . name: (identifier))
(function_signature . (type_identifier) @_future . (type_arguments . (type_identifier) @returns .) . name: (identifier))

; What a variable is made of.
(initialized_variable_definition name: (identifier) @variable (selector) @valued .)
(initialized_variable_definition name: (identifier) @variable . value: (identifier) @valued .)
(for_loop_parts name: (identifier) @variable . value: (identifier) @element .)
(for_loop_parts name: (identifier) @variable (selector) @element .)

; Names that hide others.
(formal_parameter name: (identifier) @local)
(formal_parameter . (identifier) @local .)
(initialized_variable_definition name: (identifier) @local)
(for_loop_parts name: (identifier) @local)
(catch_parameters (identifier) @local)

; Values.
(unconditional_assignable_selector (identifier) @reference)
(argument . (identifier) @reference .)
(named_argument (label) . (identifier) @reference .)
(return_statement . (identifier) @reference .)
(initialized_variable_definition value: (identifier) @reference .)
(initialized_identifier (identifier) . (identifier) @reference .)
(assignment_expression right: (identifier) @reference)
(function_expression_body . (identifier) @reference .)
(list_literal (identifier) @reference)
(additive_expression (identifier) @reference)
(multiplicative_expression (identifier) @reference)
(relational_expression (identifier) @reference)
(equality_expression (identifier) @reference)
(logical_and_expression (identifier) @reference)
(logical_or_expression (identifier) @reference)
(conditional_expression (identifier) @reference)
(if_statement (identifier) @reference)
