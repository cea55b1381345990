"""A learned evaluation: self-play, the samples of its games, and weights fitted to them."""
