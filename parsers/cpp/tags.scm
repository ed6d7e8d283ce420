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

(type_definition type: [(struct_specifier body: (_)) (union_specifier body: (_))]
  . declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.struct

(namespace_definition name: (_) @name) @definition.module

(class_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)] body: (_)) @definition.class
(struct_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)] body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(class_specifier name: (qualified_identifier scope: (_) @scope name: [(type_identifier) @name (template_type name: (type_identifier) @name)]) body: (_)) @definition.class
(struct_specifier name: (qualified_identifier scope: (_) @scope name: [(type_identifier) @name (template_type name: (type_identifier) @name)]) body: (_)) @definition.struct
(template_declaration (class_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)] body: (_))) @definition.class
(template_declaration (struct_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)] body: (_))) @definition.struct
; `class EXPORT Name : public Base {...}` reads as a function without parameters.
(function_definition type: (class_specifier !body) declarator: (identifier) @name body: (compound_statement)) @definition.class
(function_definition type: (struct_specifier !body) declarator: (identifier) @name body: (compound_statement)) @definition.struct
(function_definition type: (class_specifier !body) (ERROR . (identifier) @name) declarator: (template_function)) @definition.class
(function_definition type: (class_specifier !body) body: (compound_statement
  (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.method))

(type_definition type: [
    (primitive_type) (sized_type_specifier) (type_identifier) (template_type) (qualified_identifier) (dependent_type) (decltype)
    (struct_specifier !body) (union_specifier !body) (enum_specifier !body) (class_specifier !body)]
  declarator: [
    (type_identifier) @name
    (array_declarator declarator: (type_identifier) @name)
    (pointer_declarator declarator: (type_identifier) @name)
    (reference_declarator (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(template_declaration (alias_declaration name: (type_identifier) @name)) @definition.type
(concept_definition name: (identifier) @name) @definition.trait
(template_declaration (concept_definition name: (identifier) @name)) @definition.trait

; TEST(Suite, Name) {...} reads as a function that has parameters and no type, like a constructor.
((function_definition !type declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @scope) . (parameter_declaration type: (type_identifier) @name)))) @definition.function
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((function_definition !type declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name) .))) @definition.function
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
; TEST_CASE("text") {...} and SECTION("text") {...} read as a call before a block.
((expression_statement (call_expression function: (identifier) @_macro arguments: (argument_list . (string_literal) @name)))
  . (compound_statement) @definition.function @body
  (#match? @_macro "TEST|SECTION|SCENARIO|SUBCASE|GIVEN|WHEN|THEN|BENCHMARK"))
((expression_statement (call_expression function: (identifier) @_macro arguments: (argument_list . (identifier) . (identifier) @name)))
  . (compound_statement) @definition.function @body
  (#match? @_macro "^TEST"))
(translation_unit (expression_statement (call_expression)) @decorator . (compound_statement))
(compound_statement (expression_statement (call_expression arguments: (argument_list . (string_literal)))) @decorator . (compound_statement))

; Functions without qualifier: of a file or a namespace, and members inside their class.
(function_definition type: (_) declarator: [
  (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)
  (function_declarator declarator: (template_function name: (identifier) @name))
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)))
  (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
]) @definition.function
((function_definition !type declarator: (function_declarator declarator: (identifier) @name)) @definition.method
  (#not-match? @name "^[A-Z][A-Z0-9_]+$"))
(function_definition declarator: (function_declarator declarator: (destructor_name) @name)) @definition.method
(function_definition declarator: (operator_cast) @name) @definition.method
(template_declaration (function_definition declarator: [
  (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)
  (function_declarator declarator: (template_function name: (identifier) @name))
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (operator_cast) @name
])) @definition.function

; Functions with a qualifier, which is the class or the namespace next to the name.
(function_definition declarator: [
  (qualified_identifier scope: (_) @scope name: (operator_cast) @name)
  (qualified_identifier name: (qualified_identifier scope: (_) @scope name: (operator_cast) @name))
  (function_declarator declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (identifier) @name)]))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (identifier) @name)])))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (identifier) @name)]))))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (operator_name) @name])))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (operator_name) @name]))))
  (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (operator_name) @name])))
  (reference_declarator (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (operator_name) @name]))))
]) @definition.function
(template_declaration (function_definition declarator: [
  (function_declarator declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (identifier) @name)]))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (destructor_name) @name (operator_name) @name (template_function name: (identifier) @name)])))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (operator_name) @name])))
  (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @scope name: [
    (identifier) @name (operator_name) @name])))
])) @definition.function
(template_declaration (template_declaration (function_definition declarator:
  (function_declarator declarator: (qualified_identifier scope: (_) @scope name: (identifier) @name))))) @definition.function

; Members that are declared in the class and defined elsewhere.
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @definition.method
(field_declaration_list (declaration declarator: [
  (function_declarator declarator: [(identifier) (destructor_name)] @name)
  (operator_cast) @name
]) @definition.method)
(field_declaration_list (template_declaration (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
])) @definition.method)

; A prototype is a definition where a comment documents it; others stay lines of their header.
(translation_unit (comment) . (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(preproc_ifdef (comment) . (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)
(declaration_list (comment) . (declaration declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function)

(declaration declarator: (init_declarator declarator: (identifier) @name value: (lambda_expression body: (_) @body))) @definition.function
(field_declaration declarator: (field_identifier) @name default_value: (lambda_expression body: (_) @body)) @definition.function

; Variables of the file or a namespace.
(translation_unit (declaration declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (reference_declarator (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (identifier) @name)
    (qualified_identifier name: (qualified_identifier scope: (_) @scope name: (identifier) @name))])
]) @definition.constant)
(declaration_list (declaration declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
    (reference_declarator (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (identifier) @name)
    (qualified_identifier name: (qualified_identifier scope: (_) @scope name: (identifier) @name))])
]) @definition.constant)
(template_declaration (declaration declarator: (init_declarator declarator: (identifier) @name))) @definition.constant

(field_declaration declarator: [
  (field_identifier) @name
  (array_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (reference_declarator (field_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
]) @definition.field
(enumerator name: (identifier) @name) @definition.field

(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(comment) @comment
(attribute_specifier) @decorator
(attribute_declaration) @decorator

(preproc_include) @import
(using_declaration) @import

(call_expression function: [
  (identifier) @call
  (field_expression field: (field_identifier) @call)
  (field_expression field: (template_method name: (field_identifier) @call))
  (field_expression field: (dependent_name (template_method name: (field_identifier) @call)))
  (qualified_identifier name: [(identifier) @call (template_function name: (identifier) @call)])
  (qualified_identifier name: (qualified_identifier name: [(identifier) @call (template_function name: (identifier) @call)]))
  (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: [(identifier) @call (template_function name: (identifier) @call)])))
])
; static_cast<T>(x) reads as a call, too.
((call_expression function: (template_function name: (identifier) @call)) (#not-match? @call "_cast$"))
(new_expression type: [
  (type_identifier) @call
  (template_type name: (type_identifier) @call)
  (qualified_identifier name: [(type_identifier) @call (template_type name: (type_identifier) @call)])
])
