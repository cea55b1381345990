"""The rating list: all players of a pool at once, by maximum likelihood.

cells        input: games counted per two players, as pairs or single games
rating       the list, and the difference of any two of its players
fitting      the model of one game, and the maximum of its likelihood
separation   games whose likelihood has no maximum
intervals    errors clustered by pair of games, and bounds for players that won or lost everything
goodness     goodness of fit of one number per player
pair_design  which pairs to play next
"""
