"""Stages that look at evidence once more before it becomes an answer: wider, judged, shorter."""
