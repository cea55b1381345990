"""The alpha-beta family: one search, and an evaluation that is built up version by version."""
