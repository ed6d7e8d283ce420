; Imports.
(open_module module: (_) @module @all)
(include_module module: (module_path) @module @all @exported)

; Types.
(type_constructor_path) @type
(module_type_path) @type
