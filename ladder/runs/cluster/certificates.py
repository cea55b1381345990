"""A private set of certificates, whose owners can connect to the cluster."""

import datetime
import os
from collections.abc import Mapping
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ladder.errors import UsageError
from ladder.runs.cluster.security import AUTHORITY, CERTIFICATE, KEY

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
AUTHORITY_NAME = "connect4-ladder authority"


def make_certificates(folder: Path, *, days: int) -> None:
    """Write a new set into a folder: an authority, and one certificate of it with its key.

    The key of the authority is thrown away, so no certificate can be added later. Dask requires a
    certificate of the authority from each end, and ignores the names in it.

    Args:
        folder: The folder, created if it is missing, readable by the user only.
        days: Days for which the certificates are valid.

    Raises:
        UsageError: the folder contains a set already, or cannot be written.

    """
    _write_private(folder, _new_set(days))


def _new_set(days: int) -> dict[str, bytes]:
    """Return the content of each file of a new set, as PEM."""
    now = datetime.datetime.now(datetime.UTC)
    times = (now - datetime.timedelta(minutes=5), now + datetime.timedelta(days=days))
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _builder(AUTHORITY_NAME, times).public_key(authority_key.public_key())
    issuer = _common_name(AUTHORITY_NAME)
    signed_authority = (
        authority.issuer_name(issuer)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False
        )
        .add_extension(_usage(signs=True), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    certificate = (
        _builder("connect4-ladder machine", times)
        .public_key(key.public_key())
        .issuer_name(issuer)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()),
            critical=False,
        )
        .add_extension(_usage(signs=False), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    return {
        AUTHORITY: signed_authority.public_bytes(pem),
        CERTIFICATE: certificate.public_bytes(pem),
        KEY: key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    }


def _write_private(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write new files that only the user can read. Raises UsageError."""
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        for name in files:
            if (folder / name).exists():
                raise UsageError(
                    f"{folder} already contains certificates: remove them, or choose another folder"
                )
        for name, content in files.items():
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(os.open(folder / name, flags, PRIVATE_FILE), "wb") as file:
                file.write(content)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error


def _builder(
    name: str, times: tuple[datetime.datetime, datetime.datetime]
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(_common_name(name))
        .serial_number(x509.random_serial_number())
        .not_valid_before(times[0])
        .not_valid_after(times[1])
    )


def _common_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
