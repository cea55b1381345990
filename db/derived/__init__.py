"""Tables derived from games: moved in the transaction that stores a pair, and computed anew."""
