"""Request validation: passwords, parameters, hosts and sizes."""
