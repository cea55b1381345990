"""Ratings and tests as pure functions on counts. All Elo here is on one scale.

counts          trinomial and pentanomial counts with their variance
elo             one player against another: Elo, normalized Elo, intervals, LOS
one_sided       bounds from results that are (nearly) all wins
sprt            sequential tests; likelihood holds their models
sprt_estimate   cost of a test, and an estimate corrected for its stopping; brownian has the theory
special         the special functions taken from scipy
pool            the rating list of many players
"""
