; Types. Where a typedef names its struct differently, the typedef's name is the one that code says.
((type_definition type: [
    (struct_specifier name: (type_identifier) @name body: (_))
    (union_specifier name: (type_identifier) @name body: (_))
    (enum_specifier name: (type_identifier) @name body: (_))]
  declarator: (type_identifier) @_alias) @container (#not-eq? @name @_alias))
((type_definition type: [
    (struct_specifier name: (type_identifier)? @_tag body: (_))
    (union_specifier name: (type_identifier)? @_tag body: (_))]
  declarator: (type_identifier) @name) @definition.struct (#not-eq? @name @_tag))
((type_definition type: (enum_specifier name: (type_identifier)? @_tag body: (_))
  declarator: (type_identifier) @name) @definition.enum (#not-eq? @name @_tag))
((type_definition type: [
    (struct_specifier name: (type_identifier) @name body: (_))
    (union_specifier name: (type_identifier) @name body: (_))]
  declarator: (type_identifier) @_alias) @definition.struct (#eq? @name @_alias))
((type_definition type: (enum_specifier name: (type_identifier) @name body: (_))
  declarator: (type_identifier) @_alias) @definition.enum (#eq? @name @_alias))

(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition type: [(struct_specifier body: (_)) (union_specifier body: (_))]
  . declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.struct
(type_definition type: [
    (primitive_type) (sized_type_specifier) (type_identifier) (macro_type_specifier)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body)]
  declarator: [
    (type_identifier) @name
    (array_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (type_identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
    (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))
  ]) @definition.type

; Functions: the name stands under the pointers of the result.
(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))))
]) @definition.function

; A prototype is a definition where a comment documents it; others stay lines of their header.
(translation_unit (comment) . (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function)
(preproc_ifdef (comment) . (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function)
(declaration_list (comment) . (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function)

; SYSCALL_DEFINE0(getpid) {...} reads as a function of that type, SYSCALL_DEFINE3(open, ...) {...} as a call before a
; block. The call stands above the block as its decorator, so that it belongs to the definition.
((translation_unit (function_definition type: (type_identifier) @_macro declarator: (parenthesized_declarator (identifier) @name)) @definition.function)
  (#not-match? @_macro "^(if|else|for|while|switch|do|.*([Ff][Oo][Rr]_?)[Ee][Aa][Cc][Hh].*)$"))
((preproc_ifdef (function_definition type: (type_identifier) @_macro declarator: (parenthesized_declarator (identifier) @name)) @definition.function)
  (#not-match? @_macro "^(if|else|for|while|switch|do|.*([Ff][Oo][Rr]_?)[Ee][Aa][Cc][Hh].*)$") (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((preproc_if (function_definition type: (type_identifier) @_macro declarator: (parenthesized_declarator (identifier) @name)) @definition.function)
  (#not-match? @_macro "^(if|else|for|while|switch|do|.*([Ff][Oo][Rr]_?)[Ee][Aa][Cc][Hh].*)$") (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((preproc_else (function_definition type: (type_identifier) @_macro declarator: (parenthesized_declarator (identifier) @name)) @definition.function)
  (#not-match? @_macro "^(if|else|for|while|switch|do|.*([Ff][Oo][Rr]_?)[Ee][Aa][Cc][Hh].*)$") (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((ERROR (function_definition type: (type_identifier) @_macro declarator: (parenthesized_declarator (identifier) @name)) @definition.function)
  (#not-match? @_macro "^(if|else|for|while|switch|do|.*([Ff][Oo][Rr]_?)[Ee][Aa][Cc][Hh].*)$") (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((translation_unit (expression_statement (call_expression
    function: (identifier) @_macro arguments: (argument_list . [(identifier) (string_literal)] @name))) . (compound_statement) @definition.function @body)
  (#not-match? @_macro "^(TEST_[FP]|T[Ee][Ss][Tt]|if|for|while|switch|.*[Ff][Oo][Rr]_?[Ee][Aa][Cc][Hh].*)$"))
((preproc_ifdef (expression_statement (call_expression
    function: (identifier) @_macro arguments: (argument_list . [(identifier) (string_literal)] @name))) . (compound_statement) @definition.function @body)
  (#not-match? @_macro "^(TEST_[FP]|T[Ee][Ss][Tt]|if|for|while|switch|.*[Ff][Oo][Rr]_?[Ee][Aa][Cc][Hh].*)$") (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((preproc_if (expression_statement (call_expression
    function: (identifier) @_macro arguments: (argument_list . [(identifier) (string_literal)] @name))) . (compound_statement) @definition.function @body)
  (#not-match? @_macro "^(TEST_[FP]|T[Ee][Ss][Tt]|if|for|while|switch|.*[Ff][Oo][Rr]_?[Ee][Aa][Cc][Hh].*)$") (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((preproc_else (expression_statement (call_expression
    function: (identifier) @_macro arguments: (argument_list . [(identifier) (string_literal)] @name))) . (compound_statement) @definition.function @body)
  (#not-match? @_macro "^(TEST_[FP]|T[Ee][Ss][Tt]|if|for|while|switch|.*[Ff][Oo][Rr]_?[Ee][Aa][Cc][Hh].*)$") (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((ERROR (expression_statement (call_expression
    function: (identifier) @_macro arguments: (argument_list . [(identifier) (string_literal)] @name))) . (compound_statement) @definition.function @body)
  (#not-match? @_macro "^(TEST_[FP]|T[Ee][Ss][Tt]|if|for|while|switch|.*[Ff][Oo][Rr]_?[Ee][Aa][Cc][Hh].*)$") (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((translation_unit (expression_statement (call_expression
    function: (identifier) @_macro arguments: (argument_list . (identifier) . (identifier) @name))) . (compound_statement) @definition.function @body)
  (#match? @_macro "^(TEST_[FP]|T[Ee][Ss][Tt])$"))
(translation_unit (expression_statement (call_expression)) @decorator . (compound_statement))
(preproc_ifdef (expression_statement (call_expression)) @decorator . (compound_statement))
(preproc_if (expression_statement (call_expression)) @decorator . (compound_statement))
(preproc_else (expression_statement (call_expression)) @decorator . (compound_statement))
(ERROR (expression_statement (call_expression)) @decorator . (compound_statement))

; Variables of the file, also behind an include guard.
(translation_unit (declaration declarator: [
  (identifier) @name
  (parenthesized_declarator (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))])
]) @definition.constant)
(translation_unit (preproc_if (declaration declarator: [
  (identifier) @name
  (parenthesized_declarator (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))])
]) @definition.constant))
(translation_unit (preproc_ifdef (declaration declarator: [
  (identifier) @name
  (parenthesized_declarator (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))])
]) @definition.constant))
(translation_unit (preproc_ifdef (preproc_ifdef (declaration declarator: [
  (identifier) @name
  (parenthesized_declarator (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))])
]) @definition.constant)))
(declaration_list (declaration declarator: [
  (identifier) @name
  (parenthesized_declarator (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))])
]) @definition.constant)
((translation_unit (expression_statement
  (call_expression function: (identifier) @_macro arguments: (argument_list . (identifier) @name)) ";") @definition.constant)
  (#match? @_macro "^(DEFINE_|DECLARE_|TRACE_EVENT)"))
((preproc_ifdef (expression_statement
  (call_expression function: (identifier) @_macro arguments: (argument_list . (identifier) @name)) ";") @definition.constant)
  (#match? @_macro "^(DEFINE_|DECLARE_|TRACE_EVENT)"))

(field_declaration declarator: [
  (field_identifier) @name
  (array_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name))))
]) @definition.field
(enumerator name: (identifier) @name) @definition.field

(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(comment) @comment
(attribute_specifier) @decorator
(attribute_declaration) @decorator

(preproc_include) @import

(call_expression function: [(identifier) @call (field_expression field: (field_identifier) @call)])
