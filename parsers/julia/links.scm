(source_file (module_definition name: (identifier) @package))

; Imports.
(using_statement [(identifier) (scoped_identifier) (import_path)] @module @all)
(import_statement [(identifier) (scoped_identifier)] @use)
(import_statement (import_path (identifier) @alias .) @module)
(import_statement (import_alias . (_) @module (identifier) @alias .))
(using_statement (selected_import . (_) @module (identifier) @name))
(import_statement (selected_import . (_) @module (identifier) @name))
((call_expression . (identifier) @_include (argument_list . (string_literal) @module)) @all @relative
  (#eq? @_include "include"))
(export_statement (identifier) @export)

; Bases.
(struct_definition (type_head (binary_expression (operator) [(identifier) (field_expression)] @inherit)))
(struct_definition (type_head (binary_expression (operator) (parametrized_type_expression . (identifier) @inherit))))
(abstract_definition (type_head (binary_expression (operator) [(identifier) (field_expression)] @inherit)))

; Declared types.
(typed_expression (identifier) @variable . [(identifier) (field_expression) (parametrized_type_expression)] @typed)
(typed_expression (_) [(identifier) (field_expression) (parametrized_type_expression)] @type)
(function_definition (signature (typed_expression (call_expression) [(identifier) (field_expression) (parametrized_type_expression)] @returns)))

; What a variable is made of.
(assignment . (identifier) @variable (call_expression . [(identifier) (field_expression)] @called))
(for_binding . (identifier) @variable (_) @element .)

; Names that hide others.
(signature (call_expression (argument_list (identifier) @local)))
(signature (typed_expression (call_expression (argument_list (identifier) @local))))
(signature (where_expression (call_expression (argument_list (identifier) @local))))
(signature (_ (argument_list (typed_expression . (identifier) @local))))
(assignment . (call_expression (argument_list (identifier) @local)))
(assignment . (where_expression (call_expression (argument_list (identifier) @local))))
(assignment . (binary_expression (identifier) @local))
(function_definition (signature (argument_list (identifier) @local)))
(named_argument . (identifier) @local)
(assignment . (identifier) @local)
(for_binding . (identifier) @local)
(arrow_function_expression . (identifier) @local)
(arrow_function_expression . (argument_list (identifier) @local))
(let_statement (assignment . (identifier) @local))

; Values.
(field_expression (identifier) @reference .)
(argument_list (identifier) @reference)
(assignment (operator) (identifier) @reference)
((binary_expression (_) (operator) @_operator (identifier) @reference) (#not-match? @_operator "^[<>]:$"))
((binary_expression . (identifier) @reference (operator) @_operator) (#not-match? @_operator "^[<>]:$"))
(return_statement (identifier) @reference)
(ternary_expression (identifier) @reference)
(vector_expression (identifier) @reference)
(tuple_expression (identifier) @reference)
(index_expression . (identifier) @reference)
(string_interpolation (identifier) @reference)
