"""Was this asked before, of the same index, by somebody who sees the same?"""
