"""From a file name or URL to connections, locks and clear errors."""
