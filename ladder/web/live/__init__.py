"""Pages that stay up to date: changes noticed, views made once for all, streams of events."""
