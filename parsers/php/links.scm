(namespace_definition name: (_) @package)

; Imports.
(namespace_use_declaration (namespace_use_clause) @use)
(namespace_use_declaration body: (namespace_use_group)) @use
(require_expression [(string) (encapsed_string)] @module)
(require_once_expression [(string) (encapsed_string)] @module)
(include_expression [(string) (encapsed_string)] @module)
(include_once_expression [(string) (encapsed_string)] @module)
((require_expression (binary_expression left: (name) @_folder right: [(string) (encapsed_string)] @module)) @relative
  (#eq? @_folder "__DIR__"))
((require_once_expression (binary_expression left: (name) @_folder right: [(string) (encapsed_string)] @module)) @relative
  (#eq? @_folder "__DIR__"))
((include_expression (binary_expression left: (name) @_folder right: [(string) (encapsed_string)] @module)) @relative
  (#eq? @_folder "__DIR__"))
((include_once_expression (binary_expression left: (name) @_folder right: [(string) (encapsed_string)] @module)) @relative
  (#eq? @_folder "__DIR__"))

; Bases.
(class_declaration (base_clause (_) @inherit))
(interface_declaration (base_clause (_) @inherit))
(class_interface_clause (_) @implement)
(use_declaration [(name) (qualified_name)] @inherit)

(attribute . (_) @decorate)

; Declared types.
(named_type) @type
(simple_parameter type: (_) @typed name: (variable_name) @variable)
(property_promotion_parameter type: (_) @typed name: (variable_name) @variable)
(property_promotion_parameter type: (_) @typed name: (variable_name (name) @field))
(property_declaration type: (_) @typed (property_element name: (variable_name (name) @field)))
(method_declaration return_type: (_) @returns)
(function_definition return_type: (_) @returns)
(catch_clause type: (_) @typed name: (variable_name) @variable)
((binary_expression operator: "instanceof" right: [(name) (qualified_name)] @type))

; What a variable is made of.
(assignment_expression left: [(variable_name) (member_access_expression)] @variable right: (object_creation_expression . [(name) (qualified_name)] @typed))
; ... by a container, which is told the class: app(Mailer::class), $container->get(Mailer::class).
((assignment_expression left: [(variable_name) (member_access_expression)] @variable
  right: (_ [function: (name) name: (name)] @_made
    arguments: (arguments . (argument (class_constant_access_expression . [(name) (qualified_name)] @typed (name) @_class)))))
  (#any-of? @_made "app" "resolve" "make" "makeWith" "get") (#eq? @_class "class"))
(assignment_expression left: [(variable_name) (member_access_expression)] @variable
  right: [(member_call_expression) (scoped_call_expression) (nullsafe_member_call_expression) (function_call_expression)] @valued)
(assignment_expression left: [(variable_name) (member_access_expression)] @variable right: [(variable_name) (member_access_expression)] @valued)
(foreach_statement . (_) @element . (variable_name) @variable)
(foreach_statement . (_) @element . (pair (_) (variable_name) @variable))

; Names that hide others.
(simple_parameter name: (variable_name) @local)
(variadic_parameter name: (variable_name) @local)
(assignment_expression left: (variable_name) @local)

; Values.
(member_access_expression name: (name) @reference)
((class_constant_access_expression . (_) (name) @reference) (#not-eq? @reference "class"))
((class_constant_access_expression . [(name) (qualified_name)] @type (name) @_class) (#eq? @_class "class"))
(scoped_property_access_expression name: (variable_name) @reference)
(argument (name) @reference .)
((binary_expression (name) @reference) (#not-match? @reference "^__"))
(return_statement (name) @reference)
(assignment_expression right: (name) @reference)
(array_element_initializer (name) @reference)

; Routes: Symfony.
((class_declaration attributes: (attribute_list (attribute_group (attribute
  . (name) @_route parameters: (arguments . (argument (string) @prefix))))))
  (#eq? @_route "Route"))
((method_declaration attributes: (attribute_list (attribute_group (attribute
  . (name) @_route parameters: (arguments . (argument (string) @address))))))
  (#eq? @_route "Route"))
((method_declaration attributes: (attribute_list (attribute_group (attribute
  . (name) @_route
  parameters: (arguments
    . (argument (string) @address)
    (argument name: (name) @_methods (array_creation_expression (array_element_initializer (string) @verb))))))))
  (#eq? @_route "Route") (#eq? @_methods "methods"))
((method_declaration attributes: (attribute_list (attribute_group (attribute
  . (name) @verb parameters: (arguments . (argument (string) @address))))))
  (#any-of? @verb "Get" "Post" "Put" "Patch" "Delete"))

; Routes: Laravel, Slim.
((scoped_call_expression
  scope: (name) @_route name: (name) @verb
  arguments: (arguments . (argument (string) @address) . (argument [
    (array_creation_expression
      . (array_element_initializer (class_constant_access_expression . (_) @within))
      . (array_element_initializer (string) @handler))
    (array_creation_expression (array_element_initializer
      . (string) @_uses . [
        (string) @handler
        (array_creation_expression
          . (array_element_initializer (class_constant_access_expression . (_) @within))
          . (array_element_initializer (string) @handler))
        (class_constant_access_expression . (_) @handler)
        (anonymous_function) @handler]))
    (string) @handler
    (class_constant_access_expression . (_) @handler)
    (anonymous_function) @handler
    (arrow_function) @handler])))
  (#eq? @_route "Route")
  (#any-of? @_uses "'uses'" "\"uses\"")
  (#any-of? @verb "get" "post" "put" "patch" "delete" "options" "any" "resource" "apiResource" "singleton"))
((scoped_call_expression
  scope: (name) @_route name: (name) @route
  arguments: (arguments
    . (argument (array_creation_expression (array_element_initializer (string) @verb)))
    . (argument (string) @address) . (argument [
      (array_creation_expression
        . (array_element_initializer (class_constant_access_expression . (_) @within))
        . (array_element_initializer (string) @handler))
      (string) @handler
      (class_constant_access_expression . (_) @handler)])))
  (#eq? @_route "Route") (#eq? @route "match"))
((scoped_call_expression
  scope: (name) @_route name: (name) @verb
  arguments: (arguments . (argument (array_creation_expression (array_element_initializer
    (string) @address (class_constant_access_expression . (_) @handler))))))
  (#eq? @_route "Route") (#any-of? @verb "resources" "apiResources"))
((member_call_expression
  object: [(scoped_call_expression) (member_call_expression) (variable_name)] name: (name) @verb
  arguments: (arguments . (argument (string) @address) . (argument [
    (array_creation_expression
      . (array_element_initializer (class_constant_access_expression . (_) @within))
      . (array_element_initializer (string) @handler))
    (class_constant_access_expression . (_) @handler)])))
  (#any-of? @verb "get" "post" "put" "patch" "delete" "options" "any" "resource" "apiResource"))
((member_call_expression
  object: [(scoped_call_expression) (member_call_expression)] name: (name) @verb
  arguments: (arguments . (argument (string) @address) . (argument (string) @handler)))
  (#any-of? @verb "get" "post" "put" "patch" "delete" "any") (#match? @handler "@"))
; Files of routes that are loaded under an address.
([(member_call_expression name: (name) @verb @address arguments: (arguments . (argument [(function_call_expression) (binary_expression)] @handler)))
  (scoped_call_expression name: (name) @verb @address arguments: (arguments (argument [(function_call_expression) (binary_expression)] @handler) .))] @mount
  (#eq? @verb "group"))
