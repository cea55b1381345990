"""Training of an evaluation: self-play, samples of its games, fitted weights."""
