"""Source code to definitions, references and expressions: one engine, with the rules of each language in parsers/."""
