"""What judges how SQL and mapped models in code become edges to tables and columns."""
