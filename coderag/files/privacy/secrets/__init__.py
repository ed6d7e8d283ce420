"""A file's text to the same text with asterisks for its secrets: private keys, tokens of known formats, passwords.

Only what is a secret by its form is covered: a key that says what it is, a password in a URL, a value that a file of
settings gives to a secret name. What has the form of one and is an example stays (`placeholders`).
"""
