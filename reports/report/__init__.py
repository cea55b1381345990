"""The documents of `ladder report`: rating list, comparison, one bot against all."""
