; Routes that are calls. They are tried at the calls whose name one of the predicates on @verb, @route or @_called gives.
; net/http, gin, echo, chi, fiber, gorilla.
((call_expression
  function: (selector_expression field: (field_identifier) @verb)
  arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] @address [
    (identifier) @handler
    (selector_expression) @handler
    (call_expression) @handler
    (func_literal) @handler] .))
  (#any-of? @verb "HandleFunc" "Handle" "GET" "POST" "PUT" "PATCH" "DELETE" "HEAD" "OPTIONS" "Any"
    "Get" "Post" "Put" "Patch" "Delete" "Head" "Options" "Connect" "Trace" "All"))
; One address with several methods: m.Combo("/fork").Get(fork).Post(bind(form), forkPost).
((call_expression
  function: (selector_expression operand: (call_expression) field: (field_identifier) @verb @address)
  arguments: (argument_list . [(identifier) (selector_expression) (func_literal)] @handler .))
  (#any-of? @verb "Get" "Post" "Put" "Patch" "Delete" "Head" "Options" "Any"))
((call_expression
  function: (selector_expression operand: (call_expression) field: (field_identifier) @verb @address)
  arguments: (argument_list . [(identifier) (selector_expression) (call_expression)]
    [(identifier) (selector_expression) (func_literal)] @handler .))
  (#any-of? @verb "Get" "Post" "Put" "Patch" "Delete" "Head" "Options" "Any"))
; Own routers: m.HandleCORS("/token", h.token).
((call_expression
  function: (selector_expression field: (field_identifier) @verb)
  arguments: (argument_list . (interpreted_string_literal) @address [
    (identifier) @handler
    (selector_expression) @handler
    (func_literal) @handler] .))
  (#match? @verb "^Handle")
  (#not-match? @verb "^Handle(Func)?$"))
((call_expression
  function: (selector_expression field: (field_identifier) @route)
  arguments: (argument_list . (interpreted_string_literal) @verb . (interpreted_string_literal) @address [
    (identifier) @handler
    (selector_expression) @handler] .))
  (#any-of? @route "Method" "MethodFunc" "Handle" "HandleFunc" "Add"))
((call_expression
  function: (selector_expression field: (field_identifier) @route)
  arguments: (argument_list . (composite_literal body: (literal_value (literal_element (interpreted_string_literal) @verb)))
    . (interpreted_string_literal) @address [(identifier) (selector_expression) (call_expression)] @handler .))
  (#eq? @route "Match"))
((call_expression
  function: (selector_expression field: (field_identifier) @verb)
  arguments: (argument_list . (interpreted_string_literal) @address [(identifier) (selector_expression) (call_expression)] @handler .)) @mount
  (#any-of? @verb "Mount" "Route" "Group"))
