(call
  target: (identifier) @_module
  (arguments . [(alias) (dot)] @name)
  (do_block)
  (#eq? @_module "defmodule")) @definition.module
(call
  target: (identifier) @_protocol
  (arguments . (alias) @name)
  (do_block)
  (#eq? @_protocol "defprotocol")) @definition.interface
(call ; members of `defimpl Size, for: List` belong to Size.List
  target: (identifier) @_impl
  (arguments . (alias) @scope (keywords . (pair key: (keyword) value: (alias) @name)))
  (do_block)
  (#eq? @_impl "defimpl")) @definition.extension
(call
  target: (identifier) @_impl
  (arguments . (alias) @name . (keywords . (pair value: [(list) (identifier) (unary_operator) (call)]))? .)
  (do_block)
  (#eq? @_impl "defimpl")) @definition.extension

; def f(x), def f, def f(x) when x > 0
(call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: [(identifier) (call)] @name)
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    ])
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp")) @definition.function
(call
  target: (identifier) @_macro
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    ])
  (#any-of? @_macro "defmacro" "defmacrop" "defguard" "defguardp")) @definition.macro
; def left + right
(call
  target: (identifier) @_def
  (arguments . (binary_operator left: (identifier) operator: _ @name right: (_)))
  (do_block)
  (#any-of? @_def "def" "defp")) @definition.function
(call
  target: (identifier) @_macro
  (arguments . (binary_operator left: (identifier) operator: _ @name right: (_)))
  (do_block)
  (#eq? @_macro "defmacro")) @definition.macro
(call
  target: (identifier) @_def
  (arguments . (binary_operator left: (binary_operator left: (identifier) operator: _ @name) operator: "when"))
  (#any-of? @_def "def" "defp")) @definition.function
(call
  target: (identifier) @_def
  (arguments . (binary_operator left: (identifier) operator: _ @name right: (_)) (keywords))
  (#any-of? @_def "def" "defp")) @definition.function

; @callback init(term) :: :ok
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_callback
    (arguments . [
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")
      (binary_operator left: (binary_operator left: (call target: (identifier) @name) operator: "::") operator: "when")
    ]))
  (#any-of? @_callback "callback" "macrocallback")) @definition.function
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_type
    (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
  (#any-of? @_type "type" "typep" "opaque")) @definition.type

; @timeout 5_000, unless the name is one that the compiler or a library reads
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @name (arguments))
  (#not-match? @name "^(moduledoc|doc|typedoc|spec|type|typep|opaque|callback|macrocallback|optional_callbacks|impl|behaviour|deprecated|derive|enforce_keys|compile|dialyzer|external_resource|before_compile|after_compile|on_load|on_definition|tag|moduletag|describetag|since|vsn|file)$")) @definition.constant

(call
  target: (identifier) @_struct
  (arguments . [
    (list [(atom) @name @definition.field (keywords (pair key: (keyword) @name) @definition.field)])
    (keywords (pair key: (keyword) @name) @definition.field)
  ])
  (#any-of? @_struct "defstruct" "defexception"))

(call ; an Ecto schema
  target: (identifier) @_field
  (arguments . (atom) @name . (_))
  (#any-of? @_field "field" "belongs_to" "has_many" "has_one" "many_to_many" "embeds_one" "embeds_many")) @definition.field
(binary_operator left: (identifier) @name operator: "=" right: (anonymous_function)) @definition.function

; ExUnit
(call
  target: (identifier) @_group
  (arguments . (string) @name .)
  (do_block)
  (#eq? @_group "describe")) @definition.module
(call
  target: (identifier) @_test
  (arguments . (string) @name)
  (do_block)
  (#any-of? @_test "test" "property")) @definition.function

(do_block
  (unary_operator operator: "@" operand: (call target: (identifier) @_moduledoc (arguments . [(string) (sigil)]))) @doc
  (#eq? @_moduledoc "moduledoc"))
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_doc (arguments . [(string) (sigil)]))
  (#any-of? @_doc "doc" "typedoc")) @comment
(comment) @comment
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute)
  (#any-of? @_attribute "spec" "impl" "deprecated" "dialyzer" "tag")) @decorator
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_doc (arguments . [(keywords) (boolean)]))
  (#any-of? @_doc "doc" "typedoc")) @decorator

(call
  target: (identifier) @_import
  (arguments . [(alias) (dot)])
  (#any-of? @_import "alias" "import" "require" "use")) @import

(call target: [(identifier) @call (dot right: (identifier) @call)])
(binary_operator operator: "|>" right: (identifier) @call)
(struct (alias) @call)
