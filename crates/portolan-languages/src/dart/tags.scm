(class_declaration name: (identifier) @name) @definition.class
(mixin_declaration name: (identifier) @name) @definition.interface
(extension_declaration name: (identifier) @name) @definition.extension
(enum_declaration name: (identifier) @name) @definition.enum
(enum_entry name: (identifier) @name) @definition.member
(type_alias (type_identifier) @name) @definition.type

(function_declaration
  signature: (function_signature name: (identifier) @name) body: (_)? @body) @definition.function
(local_function_declaration
  (function_signature name: (identifier) @name) (function_body)? @body) @definition.function

; Members.
(member_declaration (method_declaration
  signature: (method_signature (function_signature name: (identifier) @name))
  body: (_)? @body)) @definition.method
(member_declaration (method_declaration
  signature: (method_signature (getter_signature name: (identifier) @name))
  body: (_)? @body)) @definition.getter
(member_declaration (method_declaration
  signature: (method_signature (setter_signature name: (identifier) @name))
  body: (_)? @body)) @definition.setter
(member_declaration (method_declaration
  signature: (method_signature (operator_signature operator: (_) @name))
  body: (_)? @body)) @definition.method
(member_declaration (declaration (function_signature name: (identifier) @name))) @definition.method
(member_declaration (declaration (getter_signature name: (identifier) @name))) @definition.getter
(member_declaration (declaration (setter_signature name: (identifier) @name))) @definition.setter

; Constructors: `A()` is called `A`, `A.b()` is called `b`.
(member_declaration (declaration [
  (constructor_signature . name: (identifier) @name . parameters: (_))
  (constructor_signature name: "." . name: (identifier) @name)
  (constant_constructor_signature . name: (identifier) @name . parameters: (_))
  (constant_constructor_signature name: "." . name: (identifier) @name)])) @definition.constructor
(member_declaration (method_declaration
  signature: (method_signature [
    (constructor_signature . name: (identifier) @name . parameters: (_))
    (constructor_signature name: "." . name: (identifier) @name)
    (factory_constructor_signature . name: (identifier) @name . parameters: (_))
    (factory_constructor_signature name: "." . name: (identifier) @name)])
  body: (_)? @body)) @definition.constructor

; Variables and fields.
(top_level_variable_declaration
  (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @definition.variable
(top_level_variable_declaration
  (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @definition.variable
(member_declaration (declaration
  (static_final_declaration_list (static_final_declaration name: (identifier) @name)))) @definition.property
(member_declaration (declaration
  (initialized_identifier_list (initialized_identifier name: (identifier) @name)))) @definition.property
