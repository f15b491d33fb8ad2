(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.type
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.member

(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(method_declaration (visibility_modifier) @private name: (name) @name
  (#eq? @private "private")) @definition.method

(property_declaration (property_element name: (variable_name (name) @name))) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property

(const_declaration (const_element (name) @name)) @definition.variable
(function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_define "define")) @definition.variable
