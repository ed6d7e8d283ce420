"""Laravel's migrations."""
