"""Coding agents: what is known of them, and their settings, edited so that they find coderag and restored later."""
