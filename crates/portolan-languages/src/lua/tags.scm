(function_declaration name: (identifier) @name) @definition.function
(function_declaration "local" @private name: (identifier) @name) @definition.function
(function_declaration
  name: (dot_index_expression table: (_) @owner field: (identifier) @name)) @definition.function
(function_declaration
  name: (method_index_expression table: (_) @owner method: (identifier) @name)) @definition.function

(assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name))
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function

(variable_declaration "local" @private
  (assignment_statement (variable_list name: (identifier) @name))) @definition.variable
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
