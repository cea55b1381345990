"""Bisection: find the commit that lost rating, by noisy binary search over gates."""
