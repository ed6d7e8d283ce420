"""The tools over the Model Context Protocol, on the official SDK, which nothing else imports."""
