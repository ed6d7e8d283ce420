; The files of a module.
((block . (identifier) @_module
  (body (attribute . (identifier) @_source (expression (literal_value (string_lit) @module))))) @all
  (#eq? @_module "module") (#eq? @_source "source"))

; var.name, local.name, module.name, aws_instance.name, data.aws_ami.name
((variable_expr (identifier) @_root) . (get_attr (identifier) @reference)
  (#not-match? @_root "^(data|each|self|count|path|terraform)$"))
((variable_expr (identifier) @_root) . (get_attr (identifier)) . (get_attr (identifier) @reference)
  (#eq? @_root "data"))
