"""Ratings and tests as pure functions on counts. All Elo here is on one scale.

sequential_elo  the live rating, moved once per pair of games
counts          the two shapes of counts and their spread
elo             one player against one other: Elo, normalized Elo, intervals, LOS
one_sided       what results say that are (nearly) all wins
sprt            sequential tests; likelihood and bayeselo hold their models
sprt_estimate   what a test costs, and an estimate that allows for its stopping; brownian its theory
special         the door to scipy
pool            the rating list, a room of its own
"""
