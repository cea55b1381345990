"""Live pages: changes followed, views cached, events streamed."""
