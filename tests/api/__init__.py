"""Tests of coderag/api."""
