; resource "aws_s3_bucket" "logs" { ... } is aws_s3_bucket.logs
((config_file (body (block
  . (identifier) @_type
  . (string_lit (template_literal) @scope)
  . (string_lit (template_literal) @name)) @definition.struct))
  (#eq? @_type "resource"))
; data "aws_ami" "ubuntu" { ... } is data.aws_ami.ubuntu
((config_file (body (block
  . (identifier) @scope
  . (string_lit (template_literal) @scope)
  . (string_lit (template_literal) @name)) @definition.struct))
  (#not-eq? @scope "resource"))

((config_file (body (block . (identifier) @scope . (string_lit (template_literal) @name) . (block_start)) @definition.module))
  (#eq? @scope "module"))
((config_file (body (block . (identifier) @_type . [(string_lit (template_literal) @name) (identifier) @name] . (block_start)) @definition.constant))
  (#any-of? @_type "variable" "output"))
((config_file (body (block . (identifier) @scope . (string_lit (template_literal) @name) . (block_start)) @definition.struct))
  (#not-match? @scope "^(module|variable|output)$"))

; locals { name = ... }
((config_file (body (block
  . (identifier) @_type
  . (block_start)
  (body (attribute . (identifier) @name) @definition.constant))))
  (#eq? @_type "locals"))
(config_file (body (attribute . (identifier) @name) @definition.constant))

; the parts of a Nomad job
((block . (identifier) @scope . (string_lit (template_literal) @name) . (block_start)) @definition.struct
  (#any-of? @scope "group" "task" "service"))

((block
  . (identifier) @_type
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start)
  (body (attribute . (identifier) @_key . (expression [
    (literal_value (string_lit (template_literal) @doc))
    (template_expr (heredoc_template (template_literal) @doc))
  ])))) @definition.constant
  (#any-of? @_type "variable" "output")
  (#eq? @_key "description"))

(comment) @comment

(function_call . (identifier) @call)
