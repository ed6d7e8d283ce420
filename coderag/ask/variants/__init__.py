"""Stages that word a question in other ways, each searched beside the question and never in its place."""
