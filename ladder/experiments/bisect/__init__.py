"""The search for the commit that lost rating: noisy bisection over gates against the good one."""
