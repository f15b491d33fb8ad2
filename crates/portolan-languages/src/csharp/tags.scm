(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.type
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.member
(delegate_declaration name: (identifier) @name) @definition.function

(method_declaration name: (identifier) @name) @definition.method
(method_declaration (modifier) @private name: (identifier) @name (#eq? @private "private")) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(constructor_declaration name: (identifier) @name) @definition.constructor
(destructor_declaration name: (identifier) @name) @definition.method
(operator_declaration operator: _ @name) @definition.method
(conversion_operator_declaration type: (_) @name) @definition.method

(property_declaration name: (identifier) @name accessors: (_)? @body) @definition.property
(indexer_declaration "this" @name accessors: (_)? @body) @definition.property
(event_declaration name: (identifier) @name) @definition.property
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.property
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.property
