"""The HTTP server: JSON for programs, pages for people, the tools for agents, from one process for many roots."""
