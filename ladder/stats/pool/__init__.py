"""The rating list: all players of a pool at once, by maximum likelihood.

cells        input: games counted per two players, as pairs or single games
rating       the list, and the difference of any two of its players
families     the model of one game; fitting maximises its likelihood
clusters     standard errors clustered by pair of games
shutouts     bounds for players that won or lost everything
goodness     goodness of fit of one number per player
pair_design  which pairs to play next
errors       reasons why a pool cannot be rated
"""
