"""The web server: routes, security, live pages, and games of people against bots."""
