"""The environment variables that users may set."""

VARIABLES = {
    "LADDER_DB": "Database of all commands; --db overrides it.",
    "LADDER_CACHE": "Folder of compiled players, and of bots that other machines have sent.",
    "LADDER_DEBUG": "1 prints the traceback of an internal error.",
    "NO_COLOR": "Any value turns colours off.",
}
"""Their meanings by their names."""
