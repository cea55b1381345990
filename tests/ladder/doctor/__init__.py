"""Tests of `ladder.doctor`."""
