; Imports.
((variable_declaration . "const" (identifier) @alias
  (builtin_function (builtin_identifier) @_import (arguments (string) @module)))
  (#eq? @_import "@import"))
((variable_declaration "pub" (identifier) @alias
  (builtin_function (builtin_identifier) @_import (arguments (string) @module))) @exported
  (#eq? @_import "@import"))
((variable_declaration . (identifier) @alias
  (field_expression
    object: (builtin_function (builtin_identifier) @_import (arguments (string) @module))
    member: (identifier) @name))
  (#eq? @_import "@import"))
((builtin_function (builtin_identifier) @_import (arguments (string) @module))
  (#eq? @_import "@import"))

; Declared types.
(container_field name: (identifier) @variable type: (_) @typed)
(parameter name: (identifier) @variable type: (_) @typed)
(variable_declaration . (identifier) @variable type: (_) @typed)
(function_declaration type: (_) @returns)
(container_field type: (_) @type)
(parameter type: (_) @type)

; What a variable is made of.
(variable_declaration . (identifier) @variable (call_expression function: (_) @called))
(variable_declaration . (identifier) @variable (try_expression (call_expression function: (_) @called)))
(variable_declaration . (identifier) @variable (struct_initializer . (_) @typed))
(variable_declaration . (identifier) @variable "=" . [(identifier) (field_expression)] @valued)

; Names that hide others.
(parameter name: (identifier) @local)
(variable_declaration . (identifier) @local)
(payload (identifier) @local)

; Values.
(field_expression member: (identifier) @reference)
(call_expression function: (_) (identifier) @reference)
(variable_declaration "=" (identifier) @reference)
(assignment_expression (identifier) @reference)
(binary_expression (identifier) @reference)
(unary_expression (identifier) @reference)
(return_expression (identifier) @reference)
(if_expression (identifier) @reference)
(index_expression (identifier) @reference)
(field_initializer (identifier) @reference .)
