"""What does a question ask, what answers it, and do the sources say so?"""
