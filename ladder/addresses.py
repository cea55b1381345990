"""Addresses of machines."""

import ipaddress


def is_address(name: str) -> bool:
    """Return whether a name is an IP address, which no name server resolves."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a host: an address, or the name localhost."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)
