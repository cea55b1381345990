"""Many machines: bots travel to them, pairs are played there, records come home (Dask)."""
