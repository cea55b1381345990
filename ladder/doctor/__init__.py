"""What this machine and this database offer, and what will go wrong."""
