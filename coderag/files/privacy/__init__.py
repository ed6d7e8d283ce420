"""What must not be shown: secrets and personal data."""
