"""Gate verdicts as text, Markdown, JSON and JUnit."""
