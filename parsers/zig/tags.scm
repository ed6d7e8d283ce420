; A type is the value of a constant; `fn List(comptime T: type) type { return struct {...}; }` is a function with members.
(variable_declaration ["const" "var"] . (identifier) @name [(struct_declaration) (union_declaration) (opaque_declaration)]) @definition.struct
(variable_declaration ["const" "var"] . (identifier) @name [(enum_declaration) (error_set_declaration)]) @definition.enum

(struct_declaration (function_declaration name: (identifier) @name) @definition.method)
(union_declaration (function_declaration name: (identifier) @name) @definition.method)
(enum_declaration (function_declaration name: (identifier) @name) @definition.method)
(opaque_declaration (function_declaration name: (identifier) @name) @definition.method)
(function_declaration name: (identifier) @name) @definition.function

(test_declaration [(string) (identifier)] @name (block) @body) @definition.function
(test_declaration "test" @name . (block) @body) @definition.function

((container_field name: (identifier) @name) @definition.field (#not-match? @name "^_?$"))
(error_set_declaration (identifier) @name @definition.field)

((source_file (variable_declaration ["const" "var"] . (identifier) @name "=" . _ @_value) @definition.constant)
  (#not-match? @_value "^(@import|@cImport|;)"))
((struct_declaration (variable_declaration ["const" "var"] . (identifier) @name "=" . _ @_value) @definition.constant)
  (#not-match? @_value "^(@import|@cImport|;)"))
(enum_declaration (variable_declaration ["const" "var"] . (identifier) @name) @definition.constant)
(union_declaration (variable_declaration ["const" "var"] . (identifier) @name) @definition.constant)

(comment) @comment

((variable_declaration (builtin_function (builtin_identifier) @_import)) @import (#any-of? @_import "@import" "@cImport"))
((variable_declaration (field_expression object: (builtin_function (builtin_identifier) @_import))) @import (#eq? @_import "@import"))
(using_namespace_declaration) @import

(call_expression function: [(identifier) @call (field_expression member: (identifier) @call)])
