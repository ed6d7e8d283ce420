(mod_item name: (identifier) @name) @definition.module

(struct_item name: (type_identifier) @name) @definition.struct
(struct_item name: (type_identifier) @name body: (ordered_field_declaration_list) ";" @body) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type

; An impl adds to the type that it names; type arguments are no part of the name.
(impl_item type: [(type_identifier) (primitive_type) (tuple_type) (array_type) (unit_type) (function_type) (pointer_type)] @name) @definition.extension
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @definition.extension
(impl_item type: (generic_type type: (type_identifier) @name)) @definition.extension
(impl_item type: (generic_type type: (scoped_type_identifier name: (type_identifier) @name))) @definition.extension
(impl_item type: (reference_type type: (type_identifier) @name)) @definition.extension
(impl_item type: (reference_type type: (generic_type type: (type_identifier) @name))) @definition.extension
(impl_item type: (reference_type type: [(primitive_type) (dynamic_type) (array_type) (tuple_type)] @name)) @definition.extension
(impl_item type: (dynamic_type trait: (type_identifier) @name)) @definition.extension
(impl_item type: (dynamic_type trait: (generic_type type: (type_identifier) @name))) @definition.extension
(impl_item type: (dynamic_type trait: (scoped_type_identifier name: (type_identifier) @name))) @definition.extension

(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(let_declaration pattern: (identifier) @name value: (closure_expression)) @definition.function
(macro_definition name: (identifier) @name) @definition.macro

(source_file [(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @definition.constant)
(declaration_list [(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @definition.constant)
(field_declaration name: (field_identifier) @name) @definition.field
(enum_variant name: (identifier) @name) @definition.field

(line_comment) @comment
(block_comment) @comment
(mod_item body: (declaration_list . (line_comment inner: (_)) @doc))
(function_item body: (block . (line_comment inner: (_)) @doc))
(attribute_item) @decorator

(use_declaration) @import
(extern_crate_declaration) @import

(call_expression function: [
  (identifier) @call
  (field_expression field: (field_identifier) @call)
  (scoped_identifier name: (identifier) @call)
  (generic_function function: [
    (identifier) @call
    (field_expression field: (field_identifier) @call)
    (scoped_identifier name: (identifier) @call)])
])
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (identifier) @call)])
; Arguments of a macro are a list of tokens.
(macro_invocation (token_tree (identifier) @call . (token_tree . "(")))
(macro_invocation (token_tree (token_tree (identifier) @call . (token_tree . "("))))
