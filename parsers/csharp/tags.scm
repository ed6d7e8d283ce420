(namespace_declaration name: (_) @name) @definition.module
(compilation_unit (file_scoped_namespace_declaration name: (_) @name)) @container

(class_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(record_declaration "struct" name: (identifier) @name) @definition.struct
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type

(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(destructor_declaration name: (identifier) @name) @definition.method
(operator_declaration operator: _ @name) @definition.method
(conversion_operator_declaration ["implicit" "explicit"] @name) @definition.method
(indexer_declaration "this" @name) @definition.method
((local_function_statement name: (identifier) @name) @definition.function (#not-eq? @name "if"))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name [(lambda_expression) (anonymous_method_expression)]))) @definition.function
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @name [(lambda_expression) (anonymous_method_expression)]))) @definition.function

(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(event_declaration name: (identifier) @name) @definition.field
(property_declaration name: (identifier) @name) @definition.field
(enum_member_declaration name: (identifier) @name) @definition.field
(record_declaration (parameter_list (parameter name: (identifier) @name) @definition.field))

(comment) @comment
(attribute_list) @decorator

(using_directive) @import
(extern_alias_directive) @import

(invocation_expression function: [
  (identifier) @call
  (generic_name (identifier) @call)
  (member_access_expression name: [(identifier) @call (generic_name (identifier) @call)])
  (conditional_access_expression (member_binding_expression name: [(identifier) @call (generic_name (identifier) @call)]))
])
(object_creation_expression type: [
  (identifier) @call
  (generic_name (identifier) @call)
  (qualified_name name: [(identifier) @call (generic_name (identifier) @call)])
])
