"""HTML pages: templates, charts and the replay viewer, in one self-contained file."""
