"""Questions about mechanisms, and what answers them."""
