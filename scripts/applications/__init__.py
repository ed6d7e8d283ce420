"""Whether what coderag says of an application's schema is what the application really has."""
