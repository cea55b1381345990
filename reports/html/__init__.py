"""Pages: templates, charts and the replay viewer, written into one file that needs no network."""
