"""The machines of a cluster as text and JSON."""
