"""One pair of games: bot processes, the referee, specifications, registration, openings."""
