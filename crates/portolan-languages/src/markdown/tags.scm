(document (section (atx_heading heading_content: (_) @name) @head) @definition.variable)
(section (section (atx_heading heading_content: (_) @name) @head) @definition.variable)
(document (section (setext_heading heading_content: (_) @name) @definition.variable))
(section (section (setext_heading heading_content: (_) @name) @definition.variable))
