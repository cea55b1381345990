"""One bot process: started, asked with a deadline, limited, killed."""
