"""Candidates to a ranking: features, the learned ranker, rerankers, diversity, confidence."""
