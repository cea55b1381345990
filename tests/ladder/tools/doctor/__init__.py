"""Tests of `ladder.tools.doctor`."""
