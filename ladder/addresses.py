"""Tests on network addresses."""

import ipaddress


def is_address(name: str) -> bool:
    """Return whether a host is given as an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether a host is a loopback address or ``localhost``."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)
