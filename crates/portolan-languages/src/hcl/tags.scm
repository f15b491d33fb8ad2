; `resource "type" "name"`, `variable "name"` and `locals`.
(config_file (body (block (identifier)
  . (string_lit (template_literal) @owner)
  . (string_lit (template_literal) @name)
  . (block_start) (body)? @body) @definition.class))
(config_file (body (block (identifier)
  . (string_lit (template_literal) @name)
  . (block_start) (body)? @body) @definition.class))
(config_file (body (block . (identifier) @name . (block_start) (body)? @body) @definition.class))

(config_file (body (attribute (identifier) @name) @definition.variable))
(config_file (body (block . (identifier) @_locals . (block_start)
  (body (attribute (identifier) @name) @definition.property)
  (#eq? @_locals "locals"))))
