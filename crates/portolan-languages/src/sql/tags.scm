(create_table (object_reference name: (identifier) @name) (column_definitions) @body) @definition.class
(create_table (keyword_table) . (object_reference name: (identifier) @name)) @definition.class
(column_definition name: (identifier) @name) @definition.property
(create_view (keyword_view) . (object_reference name: (identifier) @name) (create_query)? @body) @definition.interface
(create_materialized_view (keyword_view) . (object_reference name: (identifier) @name)
  (create_query)? @body) @definition.interface
(create_function (keyword_function) . (object_reference name: (identifier) @name)
  (function_body)? @body) @definition.function
(create_type (keyword_type) . (object_reference name: (identifier) @name)) @definition.type
(create_trigger (keyword_trigger) . (object_reference name: (identifier) @name)) @definition.variable
(create_index column: (identifier) @name) @definition.variable
(create_sequence (keyword_sequence) . (object_reference name: (identifier) @name)) @definition.variable
(create_schema (identifier) @name) @definition.namespace
