"""What each stage of `coderag ask` gains or loses, on sets of judged questions."""
