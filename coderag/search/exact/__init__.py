"""Every match of phrases and regular expressions, exactly."""
