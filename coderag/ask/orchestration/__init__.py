"""Which stages make an answer, in which order, under which condition, and how often?"""
