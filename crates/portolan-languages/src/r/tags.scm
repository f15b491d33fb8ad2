; Assignments. A variable that holds a function is a function.
(binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "=" "<<-"]) @definition.variable
(binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.function

; Classes of S4 and R6, with the functions in their lists.
(call function: (identifier) @_call
  arguments: (arguments . argument: (argument value: (string) @name))
  (#any-of? @_call "setClass" "setRefClass")) @definition.class
(call function: (identifier) @_call
  arguments: (arguments . argument: (argument value: (string) @name)
    argument: (argument value: (function_definition body: (_) @body)))
  (#any-of? @_call "setGeneric" "setMethod")) @definition.function
(binary_operator lhs: (identifier) @name operator: ["<-" "="]
  rhs: (call function: [(identifier) @_call (namespace_operator rhs: (identifier) @_call)] arguments: (_) @body)
  (#eq? @_call "R6Class")) @definition.class
(call function: [(identifier) @_call (namespace_operator rhs: (identifier) @_call)]
  arguments: (arguments argument: (argument name: (identifier) @_part
    value: (call arguments: (arguments argument: (argument name: (identifier) @name
      value: (function_definition body: (_) @body)) @definition.method))))
  (#any-of? @_call "R6Class" "setRefClass")
  (#any-of? @_part "public" "private" "active" "methods"))
