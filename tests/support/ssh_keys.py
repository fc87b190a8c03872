"""Keys of SSH, made for a test."""

import shutil
import subprocess
from pathlib import Path

import pytest

HAS_SSH = bool(shutil.which("ssh-keygen"))
WITH_SSH = pytest.mark.skipif(not HAS_SSH, reason="needs ssh-keygen, of OpenSSH's client")


def new_key(place: Path, passphrase: str = "") -> Path:
    """A new key at this path, its public part beside it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-C", "a test", "-N", passphrase, "-f", str(place)]
    subprocess.run(made, check=True, stdin=subprocess.DEVNULL)
    return place


def allowed(place: Path, **keys: Path) -> Path:
    """A file of allowed signers: each name with its key."""
    place.write_text(
        "".join(f"{name}@ward.example {key.with_suffix('.pub').read_text()}" for name, key in keys.items())
    )
    return place
