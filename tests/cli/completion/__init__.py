"""Tests of coderag/cli/completion."""
