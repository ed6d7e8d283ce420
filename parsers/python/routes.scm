; Routes that are calls. They are tried at the calls whose name one of the predicates on @verb, @route or @_called gives.
; Django, Starlette, aiohttp.
; What the method is called on is told so that a chain of calls is not waited for at each of them.
((call
  function: [
    (identifier) @verb
    (attribute object: [(identifier) (attribute) (call function: (identifier))] attribute: (identifier) @verb)
  ]
  arguments: (argument_list . (string) @address . [(identifier) (attribute) (call) (lambda) (keyword_argument)] @handler))
  (#any-of? @verb "path" "re_path" "url" "Route" "WebSocketRoute" "add_get" "add_post" "add_put" "add_patch" "add_delete"
    "add_head" "add_options" "add_view" "add_api_route" "add_url_rule" "add_websocket_route" "add_api_websocket_route"))
((call
  function: (attribute object: (identifier) @_web attribute: (identifier) @verb)
  arguments: (argument_list . (string) @address . [(identifier) (attribute)] @handler))
  (#eq? @_web "web") (#any-of? @verb "get" "post" "put" "patch" "delete" "head" "options" "view"))
((call
  function: (attribute object: [(identifier) (attribute) (call function: (identifier))] attribute: (identifier) @route)
  arguments: (argument_list . (string) @verb . (string) @address . [(identifier) (attribute)] @handler))
  (#eq? @route "add_route"))
; Those whose view is behind the name of an endpoint, and those of a class: Flask-RESTful and helpers like it.
((call
  function: (attribute attribute: (identifier) @verb)
  arguments: (argument_list . [(string) (call)] @address . [(string) (none)] . [(identifier) (attribute) (call)] @handler))
  (#eq? @verb "add_url_rule"))
((call
  function: (attribute attribute: (identifier) @verb)
  arguments: (argument_list . (string) @address (string) (keyword_argument name: (identifier) @_view value: (_) @handler)))
  (#eq? @verb "add_url_rule") (#eq? @_view "view_func"))
; Routers of Django REST framework.
((call
  function: (attribute attribute: (identifier) @verb)
  arguments: (argument_list . (string) @address . [(identifier) (attribute)] @handler))
  (#eq? @verb "register"))
; Routers, blueprints and namespaces that are mounted.
((call
  function: (attribute attribute: (identifier) @verb @address)
  arguments: (argument_list . [(identifier) (attribute)] @handler)) @mount
  (#any-of? @verb "include_router" "register_blueprint" "add_namespace"))
