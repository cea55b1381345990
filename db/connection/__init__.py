"""Connections: opening a file or URL, transactions, locks and driver errors."""
