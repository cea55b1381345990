"""The sections of a page about a division, one module each: from what was gathered to figures."""
