; Routes that are calls. They are tried at the calls whose name one of the predicates on @verb, @route or @_called gives.
; Express, Koa, Fastify, Hono, NestJS.
((call_expression
  function: (member_expression property: (property_identifier) @verb)
  arguments: (arguments . [(string) (template_string)] @address [
    (identifier) @handler
    (member_expression) @handler
    (arrow_function) @handler
    (function_expression) @handler
    (call_expression) @handler] .))
  (#any-of? @verb "get" "post" "put" "patch" "delete" "del" "head" "options" "all" "ws"))
((call_expression
  function: (member_expression property: (property_identifier) @verb)
  arguments: (arguments . [(string) (template_string)] @address [(identifier) (member_expression) (call_expression)] @handler .)) @mount
  (#any-of? @verb "use" "route" "mount"))
; koa-mount: app.use(mount("/api", api)).
((call_expression
  function: (identifier) @verb
  arguments: (arguments . (string) @address [(identifier) (member_expression) (call_expression)] @handler .)) @mount
  (#eq? @verb "mount"))
((call_expression
  function: (member_expression property: (property_identifier) @verb @address)
  arguments: (arguments . [(identifier) (member_expression) (call_expression)] @handler)) @mount
  (#any-of? @verb "use" "register"))
((call_expression
  function: (member_expression property: (property_identifier) @_called)
  arguments: (arguments . (string) @address @handler)) @mount @everything
  (#eq? @_called "setGlobalPrefix"))
((call_expression
  function: (member_expression object: (call_expression) property: (property_identifier) @verb @address)
  arguments: (arguments [
    (identifier) @handler
    (member_expression) @handler
    (arrow_function) @handler
    (function_expression) @handler
    (call_expression) @handler] .))
  (#any-of? @verb "get" "post" "put" "patch" "delete" "all"))
((call_expression
  function: (member_expression property: (property_identifier) @route)
  arguments: (arguments . (object
    (pair key: (property_identifier) @_method value: (string) @verb)
    (pair key: (property_identifier) @_url value: (string) @address)
    (pair key: (property_identifier) @_handler value: (_) @handler))))
  (#eq? @route "route") (#eq? @_method "method") (#any-of? @_url "url" "path") (#eq? @_handler "handler"))
