"""The border: who may ask, and what a request may hold."""
