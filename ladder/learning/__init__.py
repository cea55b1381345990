"""Training of players: a learned evaluation, and the weights of c4ai."""
