(message (message_name (identifier) @name) (message_body) @body) @definition.class
(enum (enum_name (identifier) @name) (enum_body) @body) @definition.enum
(service (service_name (identifier) @name) @head) @definition.interface
(rpc (rpc_name (identifier) @name)) @definition.method
(extend (full_ident) @name (message_body) @body) @definition.extension

(field (identifier) @name) @definition.property
(map_field (identifier) @name) @definition.property
(oneof (identifier) @name) @definition.property
(oneof_field (identifier) @name) @definition.property
(enum_field (identifier) @name) @definition.member
