"""The rating list: all players of a pool at once, by maximum likelihood.

cells        the input: games counted per two players, as pairs or one by one
rating       the list, and the difference of any two of its players
families     models of one game; fitting climbs the likelihood of one, draws adds a model of draws
clusters     errors that treat the pair of games as the unit
shutouts     bounds for players that won or lost everything
goodness     does one number per player describe the games?
pair_design  which pairs to play next
errors       why a pool cannot be rated
"""
