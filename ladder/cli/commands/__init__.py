"""One small file per command: options in, core called, report out."""
