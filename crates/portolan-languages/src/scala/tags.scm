(class_definition name: (identifier) @name) @definition.class
(trait_definition name: (identifier) @name) @definition.interface
(object_definition name: (identifier) @name) @definition.namespace
(enum_definition name: (identifier) @name) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.member
(full_enum_case name: (identifier) @name) @definition.member
(type_definition name: (type_identifier) @name) @definition.type

(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(function_definition (modifiers (access_modifier) @private) name: (_) @name
  (#eq? @private "private")) @definition.function
(given_definition name: (_) @name) @definition.variable

(val_definition pattern: (identifier) @name) @definition.variable
(var_definition pattern: (identifier) @name) @definition.variable
(val_declaration name: (identifier) @name) @definition.variable
(var_declaration name: (identifier) @name) @definition.variable
