"""Liquibase: changelogs in XML, YAML and JSON."""
