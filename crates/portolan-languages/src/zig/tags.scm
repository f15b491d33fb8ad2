; A type is a variable that holds a container.
(variable_declaration . (identifier) @name (struct_declaration) @body) @definition.class
(variable_declaration . (identifier) @name (union_declaration) @body) @definition.interface
(variable_declaration . (identifier) @name (enum_declaration) @body) @definition.enum
(variable_declaration . (identifier) @name (error_set_declaration) @body) @definition.enum
(variable_declaration . (identifier) @name) @definition.variable

(function_declaration name: (identifier) @name) @definition.function
(container_field name: (identifier) @name) @definition.property
(error_set_declaration (identifier) @name @definition.member)
(test_declaration (string (string_content) @name)) @definition.function
