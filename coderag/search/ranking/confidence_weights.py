"""What each evidence weighs in a confidence: written by scripts/train_confidence.py.

Fitted to 4,602 questions, each asked of its own repository and of another one, where it has no answer:
about 858, commit 997, docstring 471, document 68, how 439, name 150, string 600, symbol 600, topic 419.
"""

from __future__ import annotations

__all__ = ["BY_VECTORS", "BY_WORDS", "START_BY_VECTORS", "START_BY_WORDS"]

BY_VECTORS = {  # with the cosines of the shipped encoder
    "coverage": 0.92,
    "full": 0.0,
    "rare": 0.24,
    "named": 0.0,
    "only": 1.25,
    "known": 3.35,
    "file": 1.2,
    "words": 0.44,
    "verbatim": 3.8,
    "cosine": 1.47,
    "lead": 2.36,
    "file_lead": 2.52,
    "alone": 0.09,
    "text_lead": 0.76,
    "lexical": 0.49,
    "dense": 0.47,
    "is_symbol": -0.48,
    "is_edit": -0.87,
    "is_behavior": 0.03,
}
START_BY_VECTORS = -8.14
BY_WORDS = {  # without vectors, or with those of another encoder
    "coverage": 0.45,
    "full": 1.22,
    "rare": 0.0,
    "named": 0.47,
    "only": 1.18,
    "known": 3.74,
    "file": 1.47,
    "words": 0.48,
    "verbatim": 3.85,
    "cosine": 0.0,
    "lead": 2.86,
    "file_lead": 2.85,
    "alone": 0.27,
    "text_lead": 0.73,
    "lexical": 0.65,
    "dense": 0.0,
    "is_symbol": -0.57,
    "is_edit": -0.69,
    "is_behavior": 0.22,
}
START_BY_WORDS = -8.61
