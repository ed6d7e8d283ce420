"""MyBatis' mappers in XML."""
