"""The queue: command lines that are played one after the other."""
