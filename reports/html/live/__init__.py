"""Pages of the web server: the frame of all pages, and parts that are updated live."""
