; What JSX adds to TypeScript, whose patterns follow these.

; A component that is wrapped where it is defined.
((lexical_declaration . (variable_declarator name: (identifier) @name value: (call_expression
    function: [(identifier) (member_expression)] @_wrapper
    arguments: (arguments . [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) .) @definition.function
  (#any-of? @_wrapper "memo" "React.memo" "forwardRef" "React.forwardRef"))

(jsx_opening_element name: [(identifier) @call (member_expression property: (property_identifier) @call)]
  (#match? @call "^[A-Z]"))
(jsx_self_closing_element name: [(identifier) @call (member_expression property: (property_identifier) @call)]
  (#match? @call "^[A-Z]"))
