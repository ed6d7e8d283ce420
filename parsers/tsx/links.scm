; What JSX adds to TypeScript.
(jsx_expression (identifier) @reference)
