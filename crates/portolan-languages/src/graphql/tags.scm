(object_type_definition (name) @name (fields_definition)? @body) @definition.class
(input_object_type_definition (name) @name (input_fields_definition)? @body) @definition.class
(interface_type_definition (name) @name (fields_definition)? @body) @definition.interface
(union_type_definition (name) @name) @definition.type
(scalar_type_definition (name) @name) @definition.type
(enum_type_definition (name) @name (enum_values_definition)? @body) @definition.enum
(object_type_extension (name) @name (fields_definition)? @body) @definition.extension
(interface_type_extension (name) @name (fields_definition)? @body) @definition.extension
(input_object_type_extension (name) @name (input_fields_definition)? @body) @definition.extension

(field_definition (name) @name) @definition.property
(input_fields_definition (input_value_definition (name) @name) @definition.property)
(enum_value_definition (enum_value (name) @name)) @definition.member

(directive_definition (name) @name) @definition.variable
(operation_definition (name) @name (selection_set) @body) @definition.function
(fragment_definition (fragment_name (name) @name) (selection_set) @body) @definition.variable
