; An id that a template computes is no name.
(element (start_tag (attribute (attribute_name) @_id
  (quoted_attribute_value (attribute_value) @name)) (#eq? @_id "id") (#not-match? @name "[{}<>%\\s]")) @head) @definition.variable
(element (self_closing_tag (attribute (attribute_name) @_id
  (quoted_attribute_value (attribute_value) @name)) (#eq? @_id "id") (#not-match? @name "[{}<>%\\s]"))) @definition.variable
