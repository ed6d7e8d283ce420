"""Which of our own tools does a question need besides, and when is it enough?"""
