"""Parts of a repository to summaries that a language model writes, kept until their code changes."""
