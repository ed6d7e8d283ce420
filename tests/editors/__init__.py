"""Tests of editors/."""
