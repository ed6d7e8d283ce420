"""Where is something stated that answers a question?"""
