"""Packages that foreign bots import, for where they are not installed.

This folder comes last on the import path of a bot's host, so that an installed package wins.
"""
