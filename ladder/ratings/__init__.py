"""Ratings and tests as pure functions on counts. All Elo here is on one scale.

live        the rating that moves with every pair of games
counts      the two shapes of counts and their spread
elo         one player against one other: Elo, normalized Elo, intervals, LOS
sprt        sequential tests; likelihood and bayeselo hold their models
stopping    what a test costs, and an estimate that allows for its stopping; brownian its theory
tables      the input of a pool, from 3x3 tables of pairs or from single games
pool        the rating list; fitting climbs the likelihood of a model in families,
            clusters gives the errors, draws a model of draws
goodness    does one number per player describe the games?
bootstrap   replicates of a list
uncertain   which pairs to play next
simulate    invented results with known truth
special     the door to scipy
"""
