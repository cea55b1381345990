"""Results as text, JSON, CSV, Markdown and HTML. No queries."""
