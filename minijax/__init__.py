"""minijax."""
