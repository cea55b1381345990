"""What pages poll: cached views of the database, and boards in play."""
