"""What was the conversation about, and what does a question that leans on it mean?"""
