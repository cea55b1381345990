"""The verdict of a gate as text, Markdown, JSON and JUnit."""
