"""Request validation: passwords, parameters, limits."""
