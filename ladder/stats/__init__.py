"""Ratings and tests as pure functions on counts. All Elo here is on one scale.

counts          trinomial and pentanomial counts with their variance
elo             one player against another: Elo, normalized Elo, intervals, LOS
difference      the interval of one player against another; score_bound has its bounds
evidence        evidence by bets, which may be looked at any time, and of drops
own_rating      a rating of a list with its error or bound
sprt            sequential tests; likelihood holds their models
sprt_estimate   cost of a test, and an estimate corrected for its stopping
special         the special functions taken from scipy
pool            the rating list of many players
"""
