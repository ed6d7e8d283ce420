(class name: [(constant) @name (scope_resolution scope: (_)? @scope name: (constant) @name)]) @definition.class
(module name: [(constant) @name (scope_resolution scope: (_)? @scope name: (constant) @name)]) @definition.module

; A function stands outside every class and module; what one of them holds is a method, also behind `private` and the like.
(program (method name: (_) @name) @definition.function)
(method name: (_) @name) @definition.method
(singleton_method object: (self) name: (_) @name) @definition.method
(singleton_method object: [(constant) (identifier) (instance_variable) (scope_resolution)] @scope name: (_) @name) @definition.method
(body_statement
  (call
    method: (identifier) @_modifier
    arguments: (argument_list . [(method name: (_) @name) (singleton_method object: (self) name: (_) @name)] .)) @definition.method)
(alias name: (_) @name) @definition.method

; Methods and fields that a call makes: alias_method :new, :old; define_method(:m) { }; attr_reader :a, :b
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . [(simple_symbol) (string)] @name)
  (#any-of? @_define "alias_method" "define_method" "scope" "let" "let!" "subject")) @definition.method
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name . [(pair) (hash) (lambda)]* .)
  (#any-of? @_define "attr_accessor" "attr_reader" "attr_writer" "attr" "mattr_accessor" "mattr_reader" "mattr_writer" "cattr_accessor" "cattr_reader" "cattr_writer" "class_attribute" "thread_mattr_accessor" "attribute" "belongs_to" "has_one" "has_many" "has_and_belongs_to_many" "property" "field")) @definition.field
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list (simple_symbol) @name @definition.field)
  (#any-of? @_define "attr_accessor" "attr_reader" "attr_writer" "attr" "mattr_accessor" "mattr_reader" "mattr_writer" "cattr_accessor" "cattr_reader" "cattr_writer" "class_attribute" "thread_mattr_accessor"))

; Point = Struct.new(:x) do ... end
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker method: (identifier) @_new)
  (#any-of? @_maker "Struct" "Data")
  (#any-of? @_new "new" "define")) @definition.struct
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker method: (identifier) @_new)
  (#any-of? @_maker "Class" "Module")
  (#eq? @_new "new")) @definition.class
(call
  !receiver
  method: (identifier) @_refine
  arguments: (argument_list . [(constant) @name (scope_resolution scope: (_)? @scope name: (constant) @name)] .)
  block: (_)
  (#eq? @_refine "refine")) @definition.extension

; A function bound to a name, then what is no function
(assignment left: [(identifier) (constant)] @name right: (lambda)) @definition.function
(assignment
  left: [(identifier) (constant)] @name
  right: (call !receiver method: (identifier) @_lambda block: (_))
  (#any-of? @_lambda "lambda" "proc")) @definition.function
(assignment left: [(constant) @name (scope_resolution scope: (_)? @scope name: (constant) @name)]) @definition.constant
(operator_assignment left: (constant) @name) @definition.constant
(left_assignment_list (constant) @name @definition.constant)
(program (assignment left: [(identifier) (global_variable)] @name) @definition.constant)

; Tests: RSpec and Minitest blocks named by a string; the groups hold the examples as a module holds its members.
(call
  method: (identifier) @_group
  arguments: (argument_list . [(string) (constant) (scope_resolution) (simple_symbol)] @name)
  block: (_)
  (#any-of? @_group "describe" "context" "feature" "shared_examples" "shared_examples_for" "shared_context" "namespace")) @definition.module
(call
  !receiver
  method: (identifier) @_example
  arguments: (argument_list . (string) @name)
  block: (_)
  (#any-of? @_example "it" "test" "specify" "example" "scenario" "should" "fit" "xit")) @definition.function
; Rake
(call
  !receiver
  method: (identifier) @_task
  arguments: (argument_list . [(simple_symbol) @name (string) @name (pair . [(simple_symbol) (string) (hash_key_symbol)] @name)])
  (#any-of? @_task "task" "multitask")) @definition.function

(comment) @comment

(call
  !receiver
  method: (identifier) @_import
  (#any-of? @_import "require" "require_relative" "load" "autoload" "using" "require_dependency")) @import

(call method: [(identifier) (constant)] @call)
(call
  receiver: [(constant) @call (scope_resolution name: (constant) @call)]
  method: (identifier) @_new
  (#eq? @_new "new"))
(body_statement (identifier) @call . (_)) ; a bare name that is not the last statement can only be a call
