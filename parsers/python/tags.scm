(class_definition name: (identifier) @name) @definition.class
(decorated_definition definition: (class_definition name: (identifier) @name)) @definition.class

(function_definition name: (identifier) @name) @definition.function
(decorated_definition definition: (function_definition name: (identifier) @name)) @definition.function

; f = lambda ...
(module (expression_statement (assignment left: (identifier) @name right: (lambda body: (_) @body)) @definition.function))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name right: (lambda body: (_) @body)) @definition.function)))

; Point = namedtuple("Point", "x y")
(module (expression_statement (assignment
  left: (identifier) @name
  right: (call function: [(identifier) @_maker (attribute attribute: (identifier) @_maker)])) @definition.class)
  (#any-of? @_maker "namedtuple" "NamedTuple" "TypedDict"))

; T = TypeVar("T"), UserId = NewType("UserId", int), Json: TypeAlias = ..., type Json = ...
(module (expression_statement (assignment
  left: (identifier) @name
  right: (call function: [(identifier) @_maker (attribute attribute: (identifier) @_maker)])) @definition.type)
  (#any-of? @_maker "TypeVar" "NewType" "ParamSpec" "TypeVarTuple" "TypeAliasType"))
(module (expression_statement (assignment
  left: (identifier) @name
  type: (type [(identifier) @_alias (attribute attribute: (identifier) @_alias)])) @definition.type)
  (#eq? @_alias "TypeAlias"))
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type

(module (expression_statement (assignment left: (identifier) @name) @definition.constant))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.constant))
(module (expression_statement (assignment left: (identifier) right: (assignment left: (identifier) @name)) @definition.constant))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))
(class_definition body: (block (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.field)))
(class_definition body: (block
  (expression_statement (assignment left: (identifier) right: (assignment left: (identifier) @name)) @definition.field)))

; with the name, for a docstring is no documentation of a method that follows on the next line
(class_definition name: (identifier) @name body: (block . (comment)* . (expression_statement (string) @doc))) @definition.class
(function_definition name: (identifier) @name body: (block . (comment)* . (expression_statement (string) @doc))) @definition.function
(module . (comment)* . (expression_statement (string) @doc))

; a string below an attribute documents it
(module (expression_statement (assignment left: (identifier) @name) @definition.constant) . (expression_statement (string) @doc))
(class_definition body: (block
  (expression_statement (assignment left: (identifier) @name) @definition.field) . (expression_statement (string) @doc)))

(comment) @comment
(decorator) @decorator

(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import

(call function: [
  (identifier) @call
  (attribute attribute: (identifier) @call)
  (subscript value: [(identifier) @call (attribute attribute: (identifier) @call)])
])
