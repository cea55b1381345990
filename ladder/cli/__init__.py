"""The command line: one small file per command; options in, core called, report out."""
