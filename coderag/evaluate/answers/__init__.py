"""Answers to figures: are they carried by what they cite, did they find what answers, and when do they abstain?"""
