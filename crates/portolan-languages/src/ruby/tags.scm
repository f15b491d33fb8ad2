(module name: (constant) @name) @definition.namespace
(module name: (scope_resolution scope: (_)? @owner name: (constant) @name)) @definition.namespace
(class name: (constant) @name) @definition.class
(class name: (scope_resolution scope: (_)? @owner name: (constant) @name)) @definition.class

(method name: (_) @name) @definition.method
(singleton_method object: (_) @owner name: (_) @name) @definition.method

(assignment left: (constant) @name) @definition.variable
(assignment left: (scope_resolution scope: (_)? @owner name: (constant) @name)) @definition.variable

; What writes methods.
(call
  method: (identifier) @_writer
  arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_writer
    "attr_reader" "attr_writer" "attr_accessor"
    "mattr_reader" "mattr_writer" "mattr_accessor"
    "cattr_reader" "cattr_writer" "cattr_accessor" "class_attribute")) @definition.property
(call
  method: (identifier) @_writer
  arguments: (argument_list . (simple_symbol) @name)
  block: (_) @body
  (#any-of? @_writer "define_method" "define_singleton_method")) @definition.method
