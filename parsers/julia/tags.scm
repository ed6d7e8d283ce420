(module_definition name: (identifier) @name) @definition.module

(struct_definition
  (type_head [
    (identifier) @name
    (parametrized_type_expression . (identifier) @name)
    (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
  ])) @definition.struct
(macrocall_expression ; @kwdef struct P ... end
  (macro_argument_list
    . (struct_definition
      (type_head [
        (identifier) @name
        (parametrized_type_expression . (identifier) @name)
        (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
      ])) .)) @definition.struct
([(abstract_definition
    (type_head [
      (identifier) @name
      (parametrized_type_expression . (identifier) @name)
      (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
    ]))
  (primitive_definition
    (type_head [
      (identifier) @name
      (parametrized_type_expression . (identifier) @name)
      (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
    ]))] @definition.type)
(const_statement (assignment . (parametrized_type_expression . (identifier) @name))) @definition.type
(source_file (assignment . (parametrized_type_expression . (identifier) @name)) @definition.type)
(module_definition (assignment . (parametrized_type_expression . (identifier) @name)) @definition.type)

; @enum Color red green=2; @enum Fruit::UInt8 begin ... end
(macrocall_expression
  (macro_identifier (identifier) @_enum)
  [(macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)])
   (argument_list . [(identifier) @name (typed_expression . (identifier) @name)])]
  (#eq? @_enum "enum")) @definition.enum
(macrocall_expression
  (macro_identifier (identifier) @_enum)
  [(macro_argument_list . (_) [
     (identifier) @name @definition.field
     (assignment . (identifier) @name) @definition.field
     (compound_statement [(identifier) @name @definition.field (assignment . (identifier) @name) @definition.field])
   ])
   (argument_list . (_) (identifier) @name @definition.field)]
  (#eq? @_enum "enum"))

(macro_definition
  (signature [
    (identifier) @name
    (call_expression . [(identifier) @name (operator) @name])
    (where_expression . (call_expression . (identifier) @name))
  ])) @definition.macro

; function f(x)::T where T ... end; the name may be Base.show, Base.:+, Point{T}, or (f::Functor)
(function_definition (signature (identifier) @name)) @definition.function
(function_definition
  (signature
    (call_expression . [
      (identifier) @name
      (operator) @name
      (parametrized_type_expression . (identifier) @name)
      (field_expression value: (_) @scope [(identifier) @name (quote_expression [(identifier) (operator)] @name) (quote_expression (parenthesized_expression (operator) @name))] .)
      (parametrized_type_expression . (field_expression value: (_) @scope (identifier) @name .))
      (parenthesized_expression [
        (typed_expression [(identifier) @name (parametrized_type_expression . (identifier) @name)] .)
        (unary_typed_expression [(identifier) @name (parametrized_type_expression . (identifier) @name)] .)
      ])
    ]))) @definition.function
(function_definition
  (signature
    [(where_expression
       . [(call_expression . [
            (identifier) @name
            (operator) @name
            (parametrized_type_expression . (field_expression value: (_) @scope (identifier) @name .))
            (parametrized_type_expression . (identifier) @name)
            (field_expression value: (_) @scope [(identifier) @name (quote_expression (operator) @name)] .)
            (parenthesized_expression [
              (typed_expression [(identifier) @name (parametrized_type_expression . (identifier) @name)] .)
              (unary_typed_expression [(identifier) @name (parametrized_type_expression . (identifier) @name)] .)
            ])
          ])
          (typed_expression
            . (call_expression . [
              (identifier) @name
              (operator) @name
              (parametrized_type_expression . (identifier) @name)
              (field_expression value: (_) @scope [(identifier) @name (quote_expression (operator) @name)] .)
            ]))
          (where_expression . (call_expression . (identifier) @name))])
     (typed_expression
       . (call_expression . [
         (identifier) @name
         (operator) @name
         (parametrized_type_expression . (identifier) @name)
         (field_expression value: (_) @scope [(identifier) @name (quote_expression (operator) @name)] .)
       ]))])) @definition.function
(macrocall_expression ; @inline function f(x) ... end
  (macro_argument_list
    . (function_definition
      (signature [
        (call_expression . [(identifier) @name (field_expression value: (_) (identifier) @name .)])
        (where_expression . (call_expression . [(identifier) @name (field_expression value: (_) (identifier) @name .)]))
      ])) .)) @definition.function

; f(x) = x; f(x)::T where T = x; f = x -> x
(assignment
  . [
    (call_expression . [
      (identifier) @name
      (operator) @name
      (parametrized_type_expression . (identifier) @name)
      (field_expression value: (_) @scope [(identifier) @name (quote_expression [(identifier) (operator)] @name) (quote_expression (parenthesized_expression (operator) @name))] .)
      (parametrized_type_expression . (field_expression value: (_) @scope (identifier) @name .))
      (parenthesized_expression [
        (typed_expression [(identifier) @name (parametrized_type_expression . (identifier) @name)] .)
        (unary_typed_expression [(identifier) @name (parametrized_type_expression . (identifier) @name)] .)
      ])
    ])
    (typed_expression
      . (call_expression . [
        (identifier) @name
        (operator) @name
        (parametrized_type_expression . (identifier) @name)
        (field_expression value: (_) @scope [(identifier) @name (quote_expression (operator) @name)] .)
      ]))
    (where_expression
      . [
        (call_expression . [
          (identifier) @name
          (operator) @name
          (parametrized_type_expression . (identifier) @name)
          (field_expression value: (_) @scope [(identifier) @name (quote_expression (operator) @name)] .)
        ])
        (typed_expression . (call_expression . [(identifier) @name (operator) @name]))
      ])
    (binary_expression (_) . (operator) @name)
  ]) @definition.function
(macrocall_expression
  (macro_argument_list . (assignment . (call_expression . [(identifier) @name (field_expression value: (_) (identifier) @name .)])) .)) @definition.function
(assignment . (identifier) @name . (operator) . [(arrow_function_expression) (function_definition)]) @definition.function

(struct_definition (identifier) @name @definition.field)
(struct_definition (typed_expression . (identifier) @name) @definition.field)
(struct_definition (assignment . [(identifier) @name (typed_expression . (identifier) @name)]) @definition.field)
(struct_definition (const_statement (assignment . [(identifier) @name (typed_expression . (identifier) @name)])) @definition.field)

(const_statement (assignment . [(identifier) @name (typed_expression . (identifier) @name) (open_tuple [(identifier) @name (typed_expression . (identifier) @name)])])) @definition.constant
(global_statement (assignment . [(identifier) @name (typed_expression . (identifier) @name)])) @definition.constant
(source_file (assignment . [(identifier) @name (typed_expression . (identifier) @name)]) @definition.constant)
(module_definition (assignment . [(identifier) @name (typed_expression . (identifier) @name)]) @definition.constant)

(macrocall_expression
  (macro_identifier (identifier) @_testset)
  (macro_argument_list (string_literal) @name)
  (#eq? @_testset "testset")) @definition.function

; A docstring stands above what it documents.
(source_file [(string_literal) (prefixed_string_literal)] @comment)
(module_definition (string_literal) @comment)
(struct_definition (string_literal) @comment)
(compound_statement (string_literal) @comment)
(if_statement (string_literal) @comment)
((macrocall_expression
  (macro_identifier (identifier) @_doc)
  (macro_argument_list . [(string_literal) (prefixed_string_literal)] .)) @comment
  (#eq? @_doc "doc"))
(line_comment) @comment
(block_comment) @comment
(macrocall_expression
  (macro_identifier) @decorator
  (macro_argument_list . [
    (function_definition) (struct_definition) (macrocall_expression) (assignment . (call_expression))
  ] .))

(using_statement) @import
(import_statement) @import
(call_expression
  . (identifier) @_include
  (argument_list . (string_literal) .)
  (#eq? @_include "include")) @import

(call_expression . [
  (identifier) @call
  (field_expression (identifier) @call .)
  (parametrized_type_expression . (identifier) @call)
])
(broadcast_call_expression . [(identifier) @call (field_expression (identifier) @call .)])
(macrocall_expression (macro_identifier) @call)
