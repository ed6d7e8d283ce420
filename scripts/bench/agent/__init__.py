"""What an agent reads until it holds the code that it needs: coderag's answers, semble's, and grep with reading."""
