"""One file per page: parameters in, core called, page out."""
