"""Runs on many machines: bots are shipped, pairs played there, records sent back (Dask)."""
