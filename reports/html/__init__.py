"""HTML pages: templates, charts and the replay viewer."""
