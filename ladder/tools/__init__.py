"""The work behind `play`, `solve`, `bench`, `doctor` and `compete`."""
