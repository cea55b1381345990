"""The command line: options in, core called, report out."""
