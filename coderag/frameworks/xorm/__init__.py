"""xorm's structs."""
