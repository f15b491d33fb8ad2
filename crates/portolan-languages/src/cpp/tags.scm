; Functions, with and without a body.
(function_definition declarator: (_) @declarator) @definition.function
(function_definition (storage_class_specifier) @private declarator: (_) @declarator
  (#eq? @private "static")) @definition.function
(template_declaration (function_definition declarator: (_) @declarator body: (_)? @body)) @definition.function

; Variables, and functions that are only announced: the declarator tells which.
(declaration declarator: (_) @declarator) @definition.variable
(declaration (storage_class_specifier) @private declarator: (_) @declarator
  (#eq? @private "static")) @definition.variable
(template_declaration (declaration declarator: (_) @declarator)) @definition.variable

; Types.
(class_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @owner name: [(type_identifier) @name (template_type name: (_) @name)])] body: (_)) @definition.class
(struct_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @owner name: [(type_identifier) @name (template_type name: (_) @name)])] body: (_)) @definition.class
(union_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @owner name: [(type_identifier) @name (template_type name: (_) @name)])] body: (_)) @definition.interface
(enum_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @owner name: [(type_identifier) @name (template_type name: (_) @name)])] body: (_)) @definition.enum
(template_declaration (class_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @owner name: [(type_identifier) @name (template_type name: (_) @name)])] body: (_) @body)) @definition.class
(template_declaration (struct_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier scope: (_) @owner name: [(type_identifier) @name (template_type name: (_) @name)])] body: (_) @body)) @definition.class
(type_definition
  type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.class
(type_definition
  type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.interface
(type_definition
  type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition declarator: (_) @declarator) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(template_declaration (alias_declaration name: (type_identifier) @name)) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(template_declaration (concept_definition name: (identifier) @name)) @definition.type

; Members.
(field_declaration declarator: (_) @declarator) @definition.property
(enumerator name: (identifier) @name) @definition.member

; Macros.
(preproc_def name: (identifier) @name) @definition.variable
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.function
