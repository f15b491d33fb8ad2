(call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body
  (#eq? @_word "defmodule")) @definition.namespace
(call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body
  (#eq? @_word "defprotocol")) @definition.interface
(call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body
  (#eq? @_word "defimpl")) @definition.extension

; `def f(x)`, `def f(x) when x` and `def f`.
(call target: (identifier) @_word
  (arguments . [
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (identifier) @name])
  (do_block)? @body
  (#any-of? @_word "def" "defmacro" "defguard" "defdelegate" "defn")) @definition.function
(call target: (identifier) @_word @private
  (arguments . [
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (identifier) @name])
  (do_block)? @body
  (#any-of? @_word "defp" "defmacrop" "defguardp")) @definition.function

; Attributes of a module.
(unary_operator operator: "@" operand: (call target: (identifier) @_word
  (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::"))
  (#any-of? @_word "type" "typep" "opaque"))) @definition.type
(unary_operator operator: "@" operand: (call target: (identifier) @_word
  (arguments . (binary_operator left: (call target: (identifier) @name) operator: "::"))
  (#any-of? @_word "callback" "macrocallback"))) @definition.method
(unary_operator operator: "@" operand: (call target: (identifier) @name (arguments)
  (#not-any-of? @name
    "moduledoc" "doc" "typedoc" "spec" "type" "typep" "opaque" "impl" "callback" "macrocallback"
    "deprecated" "behaviour" "derive" "dialyzer" "tag" "moduletag" "describetag"))) @definition.variable
(unary_operator operator: "@" operand: (call target: (identifier) @_word
  (#any-of? @_word "doc" "spec" "typedoc" "impl" "deprecated"))) @doc
