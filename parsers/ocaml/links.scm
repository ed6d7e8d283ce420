; Imports; modules are also known without them.
(open_module module: (_) @module @all)
(include_module module: (module_path) @module @all @exported)
(module_definition (module_binding (module_name) @alias body: (module_path) @module))

; Bases.
(inheritance_definition class: (class_path (class_name) @inherit))

; Types.
(type_constructor_path) @type
(field_declaration (field_name) @variable type: (type_constructor_path) @typed)
(typed_pattern pattern: (value_pattern) @variable type: (type_constructor_path) @typed)
(let_binding pattern: (value_name) type: (type_constructor_path) @returns)
(module_type_path) @type

; Names that hide others.
(parameter pattern: (value_pattern) @local)
(value_pattern) @local
(value_definition (let_binding pattern: (value_name) @local))

; Values.
(value_path (value_name) @reference)
(field_path (field_name) @reference)
