"""The queue: experiments that wait their turn and share the machines."""
