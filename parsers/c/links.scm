; Imports.
(preproc_include path: [(string_literal) (system_lib_string)] @module)

; Declared types.
(parameter_declaration type: [
  (type_identifier) @type
  (struct_specifier name: (type_identifier) @type !body)
  (union_specifier name: (type_identifier) @type !body)
  (enum_specifier name: (type_identifier) @type !body)])
(declaration type: [
  (type_identifier) @type
  (struct_specifier name: (type_identifier) @type !body)
  (union_specifier name: (type_identifier) @type !body)
  (enum_specifier name: (type_identifier) @type !body)])
(field_declaration type: [
  (type_identifier) @type
  (struct_specifier name: (type_identifier) @type !body)
  (union_specifier name: (type_identifier) @type !body)
  (enum_specifier name: (type_identifier) @type !body)])
(function_definition type: [
  (type_identifier) @type
  (struct_specifier name: (type_identifier) @type !body)
  (union_specifier name: (type_identifier) @type !body)
  (enum_specifier name: (type_identifier) @type !body)])
(type_descriptor type: [
  (type_identifier) @type
  (struct_specifier name: (type_identifier) @type !body)
  (union_specifier name: (type_identifier) @type !body)
  (enum_specifier name: (type_identifier) @type !body)])
(type_definition type: [
  (type_identifier) @type
  (struct_specifier name: (type_identifier) @type !body)
  (union_specifier name: (type_identifier) @type !body)
  (enum_specifier name: (type_identifier) @type !body)])
(function_definition declarator: (function_declarator parameters: (parameter_list (parameter_declaration
  type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (identifier) @variable))))
(function_definition declarator: (function_declarator parameters: (parameter_list (parameter_declaration
  type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (pointer_declarator declarator: (identifier) @variable)))))
(function_definition declarator: (pointer_declarator declarator: (function_declarator parameters: (parameter_list (parameter_declaration
  type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (identifier) @variable)))))
(function_definition declarator: (pointer_declarator declarator: (function_declarator parameters: (parameter_list (parameter_declaration
  type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (pointer_declarator declarator: (identifier) @variable))))))
(field_declaration type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (field_identifier) @variable)
(field_declaration type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (pointer_declarator declarator: (field_identifier) @variable))
(declaration type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (identifier) @variable)
(declaration type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (pointer_declarator declarator: (identifier) @variable))
(declaration type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (init_declarator declarator: (identifier) @variable))
(declaration type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @typed declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @variable)))
(function_definition type: [
    (type_identifier) (primitive_type) (sized_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @returns)

; Names that hide others.
(parameter_declaration declarator: (identifier) @local)
(parameter_declaration declarator: (_ declarator: (identifier) @local))
(declaration declarator: (identifier) @local)
(declaration declarator: (_ declarator: (identifier) @local))
(declaration declarator: (init_declarator declarator: (_ declarator: (identifier) @local)))

; Values.
(call_expression arguments: (argument_list (identifier) @reference))
(pointer_expression argument: (identifier) @reference)
(assignment_expression right: (identifier) @reference)
(init_declarator value: (identifier) @reference)
(initializer_list (identifier) @reference)
(initializer_pair value: (identifier) @reference)
(return_statement (identifier) @reference)
(binary_expression (identifier) @reference)
(unary_expression (identifier) @reference)
(case_statement value: (identifier) @reference)
(subscript_expression (identifier) @reference)
(array_declarator size: (identifier) @reference)
(comma_expression (identifier) @reference)
(field_expression field: (field_identifier) @reference)
