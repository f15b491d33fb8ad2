(class_declaration name: (identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration "class" name: (identifier) @name (class_body)? @body) @definition.class
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @definition.interface
(object_declaration name: (identifier) @name (class_body)? @body) @definition.class
(companion_object name: (identifier) @name (class_body)? @body) @definition.class
(type_alias type: (identifier) @name) @definition.type
(enum_entry (identifier) @name) @definition.member

(function_declaration name: (identifier) @name (function_body)? @body) @definition.function
(function_declaration (modifiers (visibility_modifier) @private) name: (identifier) @name (function_body)? @body
  (#eq? @private "private")) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.constructor

(property_declaration (variable_declaration (identifier) @name) (getter)? @body) @definition.variable
(class_parameter ["val" "var"] (identifier) @name) @definition.property
