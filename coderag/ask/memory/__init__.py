"""What did the conversation speak of, and what does a question that leans on it mean?"""
