"""The pages of the documentation, followed word for word."""
