"""The views of `ladder report`: a rating list, versions side by side, one bot against all."""
