(package_declaration (_) @package)

; Imports.
((import_declaration . (_) @use .) @_import
  (#not-match? @_import "^import\\s+static"))
((import_declaration . [(identifier) (scoped_identifier)] @module (asterisk) @all) @_import
  (#not-match? @_import "^import\\s+static"))
((import_declaration (scoped_identifier) @module (asterisk) @all) @_import
  (#match? @_import "^import\\s+static"))
((import_declaration (scoped_identifier scope: (_) @module name: (identifier) @name) .) @_import
  (#match? @_import "^import\\s+static"))

; Bases.
(superclass [(type_identifier) (scoped_type_identifier)] @inherit)
(superclass (generic_type . (_) @inherit))
(super_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @implement))
(super_interfaces (type_list (generic_type . (_) @implement)))
(extends_interfaces (type_list [(type_identifier) (scoped_type_identifier)] @inherit))
(extends_interfaces (type_list (generic_type . (_) @inherit)))

(marker_annotation name: (_) @decorate)
(annotation name: (_) @decorate)

; Types.
(type_identifier) @type

; Declared types.
(formal_parameter type: (_) @typed name: (identifier) @variable)
(spread_parameter (variable_declarator name: (identifier) @local))
(field_declaration type: (_) @typed declarator: (variable_declarator name: (identifier) @variable))
((local_variable_declaration type: (_) @typed declarator: (variable_declarator name: (identifier) @variable))
  (#not-eq? @typed "var"))
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @typed name: (identifier) @field)))
(resource type: (_) @typed name: (identifier) @variable)
((enhanced_for_statement type: (_) @typed name: (identifier) @variable)
  (#not-eq? @typed "var"))
(catch_formal_parameter (catch_type . (_) @typed) name: (identifier) @variable)
(method_declaration type: (_) @returns)
(instanceof_expression right: (_) @typed name: (identifier) @variable)

; What a variable is made of.
((local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator name: (identifier) @variable value: (object_creation_expression type: (_) @typed)))
  (#eq? @_var "var"))
((local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator name: (identifier) @variable value: (method_invocation name: (_) @called)))
  (#eq? @_var "var"))
((local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator name: (identifier) @variable value: [(identifier) (field_access)] @valued))
  (#eq? @_var "var"))
((enhanced_for_statement type: (type_identifier) @_var name: (identifier) @variable value: (_) @element)
  (#eq? @_var "var"))

; Names that hide others.
(inferred_parameters (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))

; Values.
(field_access field: (identifier) @reference)
(method_reference . (_) (identifier) @reference .)
(argument_list (identifier) @reference)
(assignment_expression (identifier) @reference)
(variable_declarator value: (identifier) @reference)
(return_statement (identifier) @reference)
(binary_expression (identifier) @reference)
(unary_expression (identifier) @reference)
(update_expression (identifier) @reference)
(ternary_expression (identifier) @reference)
(parenthesized_expression (identifier) @reference)
(array_access (identifier) @reference)
(array_initializer (identifier) @reference)
(element_value_array_initializer (identifier) @reference)
(element_value_pair value: (identifier) @reference)
(annotation_argument_list (identifier) @reference)
(enhanced_for_statement value: (identifier) @reference)
(switch_label (identifier) @reference)
(throw_statement (identifier) @reference)
(lambda_expression body: (identifier) @reference)

; Routes: Spring, JAX-RS, Micronaut.
((class_declaration (modifiers (annotation name: (identifier) @_path arguments: (annotation_argument_list [
    (string_literal) @prefix (identifier) @prefix (field_access) @prefix (binary_expression) @prefix
    (element_value_array_initializer . (_) @prefix)]))))
  (#any-of? @_path "RequestMapping" "Path" "Controller" "HttpExchange"))
((interface_declaration (modifiers (annotation name: (identifier) @_path arguments: (annotation_argument_list [
    (string_literal) @prefix (identifier) @prefix (field_access) @prefix (binary_expression) @prefix
    (element_value_array_initializer . (_) @prefix)]))))
  (#any-of? @_path "RequestMapping" "Path" "Controller" "HttpExchange"))
((class_declaration (modifiers (annotation name: (identifier) @_path arguments: (annotation_argument_list 
    (element_value_pair key: (identifier) @_key value: [
      (string_literal) @prefix (identifier) @prefix (field_access) @prefix (binary_expression) @prefix
      (element_value_array_initializer . (_) @prefix)])))))
  (#any-of? @_path "RequestMapping" "Path" "Controller" "HttpExchange") (#any-of? @_key "value" "path" "uri"))
((interface_declaration (modifiers (annotation name: (identifier) @_path arguments: (annotation_argument_list 
    (element_value_pair key: (identifier) @_key value: [
      (string_literal) @prefix (identifier) @prefix (field_access) @prefix (binary_expression) @prefix
      (element_value_array_initializer . (_) @prefix)])))))
  (#any-of? @_path "RequestMapping" "Path" "Controller" "HttpExchange") (#any-of? @_key "value" "path" "uri"))
((method_declaration (modifiers (annotation name: (identifier) @verb arguments: (annotation_argument_list [
    (string_literal) @address (identifier) @address (field_access) @address (binary_expression) @address
    (element_value_array_initializer (_) @address)]))))
  (#any-of? @verb "GetMapping" "PostMapping" "PutMapping" "PatchMapping" "DeleteMapping" "RequestMapping"
    "Get" "Post" "Put" "Patch" "Delete" "Head" "Options"))
((method_declaration (modifiers (annotation name: (identifier) @verb arguments: (annotation_argument_list 
    (element_value_pair key: (identifier) @_key value: [
      (string_literal) @address (identifier) @address (field_access) @address (binary_expression) @address
      (element_value_array_initializer (_) @address)])))))
  (#any-of? @verb "GetMapping" "PostMapping" "PutMapping" "PatchMapping" "DeleteMapping" "RequestMapping"
    "Get" "Post" "Put" "Patch" "Delete" "Head" "Options") (#any-of? @_key "value" "path" "uri"))
((method_declaration (modifiers (annotation
  name: (identifier) @route
  arguments: (annotation_argument_list
    (element_value_pair key: (identifier) @_key value: [
      (string_literal) @address (identifier) @address (field_access) @address (binary_expression) @address
      (element_value_array_initializer (_) @address)])
    (element_value_pair key: (identifier) @_method value: [
      (field_access field: (identifier) @verb)
      (identifier) @verb
      (element_value_array_initializer [(field_access field: (identifier) @verb) (identifier) @verb])])))))
  (#eq? @route "RequestMapping") (#any-of? @_key "value" "path") (#eq? @_method "method"))
((method_declaration (modifiers (annotation
  name: (identifier) @route @address
  arguments: (annotation_argument_list
    . (element_value_pair key: (identifier) @_method value: [(field_access field: (identifier) @verb) (identifier) @verb])))))
  (#eq? @route "RequestMapping") (#eq? @_method "method"))
((field_declaration declarator: (variable_declarator name: (identifier) @constant value: [(string_literal) (binary_expression)] @address))
  (#match? @constant "^(?:[A-Z][A-Z0-9_]*|\\w*(?:URL|Url|URI|Uri|[pP]ath|[pP]refix))$") (#match? @address "\"/"))
((constant_declaration declarator: (variable_declarator name: (identifier) @constant value: [(string_literal) (binary_expression)] @address))
  (#match? @constant "^(?:[A-Z][A-Z0-9_]*|\\w*(?:URL|Url|URI|Uri|[pP]ath|[pP]refix))$") (#match? @address "\"/"))
((method_declaration (modifiers (marker_annotation name: (identifier) @verb @address)))
  (#any-of? @verb "GetMapping" "PostMapping" "PutMapping" "PatchMapping" "DeleteMapping" "GET" "POST" "PUT" "PATCH" "DELETE"))
((method_declaration (modifiers
  (marker_annotation name: (identifier) @verb)
  (annotation name: (identifier) @_path arguments: (annotation_argument_list (string_literal) @address))))
  (#eq? @_path "Path"))
((method_declaration (modifiers
  (annotation name: (identifier) @_path arguments: (annotation_argument_list (string_literal) @address))
  (marker_annotation name: (identifier) @verb)))
  (#eq? @_path "Path"))
