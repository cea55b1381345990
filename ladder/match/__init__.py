"""One pair of games: bot processes and the referee."""
