"""Live pages: followed changes, cached views and event streams."""
