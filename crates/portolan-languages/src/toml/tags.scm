(document (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.variable)
(table [(bare_key) (dotted_key) (quoted_key)] @name . "]" @head) @definition.namespace
(table_array_element [(bare_key) (dotted_key) (quoted_key)] @name . "]]" @head) @definition.namespace
