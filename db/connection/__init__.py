"""Open databases: connections, transactions, retries and driver errors."""
