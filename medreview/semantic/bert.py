"""A BERT encoder in numpy: its weights from a safetensors file, and its forward pass.

It computes in float32 without padding.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple

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
        raise ValueError("this is not a safetensors file")
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


Floats = NDArray[np.float32]

HEADS: Final = 12
"""Of each layer's attention."""
_EPSILON: Final = np.float32(1e-12)
_BLOCK: Final = 16
"""Rows that are looked at together where one number after the other is computed."""
_PLACE: Final = np.float32(0.3275911)
_TERMS: Final = tuple(
    np.float32(term / 2) for term in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
)


class _Layer(NamedTuple):
    """One layer's weights, each laid out as inputs by outputs; those of query, key and value side by side."""

    attend: Floats
    attend_bias: Floats
    out: Floats
    out_bias: Floats
    out_norm: tuple[Floats, Floats]
    widen: Floats
    widen_bias: Floats
    narrow: Floats
    narrow_bias: Floats
    narrow_norm: tuple[Floats, Floats]


class Bert:
    """Weights by their names in Hugging Face's ``BertModel``. Raises ``KeyError`` where one is missing."""

    def __init__(self, tensors: Mapping[str, Floats], layers: int) -> None:
        self._words = tensors["embeddings.word_embeddings.weight"]
        first_type = tensors["embeddings.token_type_embeddings.weight"][0]
        self._places = tensors["embeddings.position_embeddings.weight"] + first_type
        self.size = self._words.shape[1]
        self._norm = _norm_of(tensors, "embeddings.LayerNorm")
        self._layers = [_layer(tensors, f"encoder.layer.{number}.") for number in range(layers)]

    def states(self, texts: Sequence[Sequence[int]]) -> list[Floats]:
        """What the last layer says of each token, a matrix a text. A text has at least one token.

        The tokens of all texts stand below one another in one matrix, so that no time goes into padding; only the
        attention looks at texts one length after the other. Fastest when texts of one length are neighbours.
        """
        lengths = [len(text) for text in texts]
        tokens = np.concatenate([np.asarray(text) for text in texts])
        state = self._words[tokens] + self._places[np.concatenate([np.arange(length) for length in lengths])]
        _normalise(state, self._norm)
        for layer in self._layers:
            state += _attended(state, lengths, layer)
            _normalise(state, layer.out_norm)
            wide = state @ layer.widen
            wide += layer.widen_bias
            _gelu(wide)
            state += wide @ layer.narrow + layer.narrow_bias
            _normalise(state, layer.narrow_norm)
        return np.split(state, np.cumsum(lengths)[:-1])


def of_length_one(rows: Floats) -> Floats:
    """The rows, each of length 1."""
    found: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def _attended(state: Floats, lengths: Sequence[int], layer: _Layer) -> Floats:
    projected = state @ layer.attend
    projected += layer.attend_bias
    size = state.shape[1]
    mixed = np.empty_like(state)
    start = 0
    for length, alike in groupby(lengths):
        count = sum(1 for _ in alike)
        end = start + count * length
        parts = projected[start:end].reshape(count, length, 3, HEADS, size // HEADS)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        weights = query @ key.transpose(0, 1, 3, 2)
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed[start:end] = (weights @ value).transpose(0, 2, 1, 3).reshape(end - start, size)
        start = end
    return mixed @ layer.out + layer.out_bias


def _layer(tensors: Mapping[str, Floats], at: str) -> _Layer:
    parts = [f"{at}attention.self.{part}." for part in ("query", "key", "value")]
    attend = np.concatenate([tensors[f"{part}weight"] for part in parts])
    attend_bias = np.concatenate([tensors[f"{part}bias"] for part in parts])
    size = attend.shape[1]
    attend[:size] /= np.float32(sqrt(size / HEADS))  # the scale of the scores, once for all
    attend_bias[:size] /= np.float32(sqrt(size / HEADS))
    return _Layer(
        _transposed(attend),
        attend_bias,
        _transposed(tensors[f"{at}attention.output.dense.weight"]),
        tensors[f"{at}attention.output.dense.bias"],
        _norm_of(tensors, f"{at}attention.output.LayerNorm"),
        _transposed(tensors[f"{at}intermediate.dense.weight"]),
        tensors[f"{at}intermediate.dense.bias"],
        _transposed(tensors[f"{at}output.dense.weight"]),
        tensors[f"{at}output.dense.bias"],
        _norm_of(tensors, f"{at}output.LayerNorm"),
    )


def _transposed(weights: Floats) -> Floats:
    return np.ascontiguousarray(weights.T)


def _norm_of(tensors: Mapping[str, Floats], at: str) -> tuple[Floats, Floats]:
    return tensors[f"{at}.weight"], tensors[f"{at}.bias"]


def _normalise(state: Floats, norm: tuple[Floats, Floats]) -> None:
    """Layer normalisation in place."""
    state -= state.mean(axis=1, keepdims=True)
    spread = np.einsum("ij,ij->i", state, state)[:, None] / np.float32(state.shape[1])
    state /= np.sqrt(spread + _EPSILON)
    state *= norm[0]
    state += norm[1]


def _gelu(values: Floats) -> None:
    """``x * P(X < x)`` for a standard normal X, in place, to 4e-7: formula 7.1.26 of Abramowitz and Stegun.

    In blocks that stay in the cache; ``scipy.special.erf`` takes eight times as long.
    """
    for at in range(0, len(values), _BLOCK):
        block = values[at : at + _BLOCK]
        size = np.abs(block)
        place = size * np.float32(sqrt(0.5))
        share = 1 / (1 + _PLACE * place)
        tail = share * _TERMS[0]
        for term in _TERMS[1:]:
            tail += term
            tail *= share
        place *= place
        tail *= np.exp(-place)
        tail *= size
        np.maximum(block, 0, out=block)
        block -= tail
