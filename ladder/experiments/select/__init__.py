"""Selection: find the best of several candidates in few games."""
