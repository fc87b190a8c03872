"""Weights of a model in a safetensors file, mapped into memory without copying."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

_PREFIX: Final = 8
"""Bytes of the header's length, an unsigned little-endian integer; the header is JSON."""
_LONGEST_HEADER: Final = 10_000_000
_TYPES: Final[Mapping[str, str]] = {"F32": "<f4", "F16": "<f2"}


def tensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """The tensors of 16 or 32 bits by name, read from the disk as they are used; others are left out.

    Raises ``ValueError`` for a file of another kind or one that is cut off, and ``OSError``.
    """
    mapped = np.memmap(path, dtype=np.uint8, mode="r")
    length = int.from_bytes(mapped[:_PREFIX].tobytes(), "little")
    if not 0 < length <= min(_LONGEST_HEADER, mapped.size - _PREFIX):
        raise ValueError("this is no safetensors file")
    header = json.loads(mapped[_PREFIX : _PREFIX + length].tobytes())
    data = mapped[_PREFIX + length :]
    found = {}
    for name, about in header.items():
        if name == "__metadata__" or about["dtype"] not in _TYPES:
            continue
        start, end = about["data_offsets"]
        if not 0 <= start <= end <= data.size:
            raise ValueError(f"the file ends before {name}")
        flat = np.frombuffer(data[start:end], dtype=_TYPES[about["dtype"]])
        found[name] = flat.reshape(about["shape"]).astype(np.float32, copy=False)
    return found
