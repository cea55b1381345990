"""The ladder in the browser: routes, safety, live pages, and games of people against bots."""
