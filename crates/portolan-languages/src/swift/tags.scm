(class_declaration declaration_kind: ["class" "struct" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (user_type) @name) @definition.extension
(protocol_declaration name: (type_identifier) @name) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

(function_declaration name: [
  (simple_identifier) (custom_operator)
  "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/"] @name) @definition.function
(protocol_function_declaration name: [
  (simple_identifier) (custom_operator)
  "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/"] @name) @definition.method
(init_declaration name: "init" @name) @definition.constructor
(subscript_declaration "subscript" @name (computed_property)? @body) @definition.method

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)? @body) @definition.variable
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
(enum_entry name: (simple_identifier) @name) @definition.member
