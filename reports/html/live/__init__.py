"""Pages of the web server: frames, and the parts that change while they are open."""
