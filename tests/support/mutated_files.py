"""Files with random changes of their bytes, and of the parts of a zip, each from a seed.

As a program it tries a thousand of each sample on the readers of documents: ``python -m tests.support.mutated_files``,
with a number for more or fewer.
"""

import io
import random
import sys
import zipfile
from collections import Counter


def mutated(body: bytes, chance: random.Random) -> bytes:
    """The bytes with changes; of a zip, in every other case those of its parts, so that its sums are right."""
    if body.startswith(b"PK") and chance.random() < 0.5:
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(body)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
            names = before.namelist()
            chosen = chance.choice(names)
            for name in names:
                data = before.read(name)
                is_changed = bool(data) and (name == chosen or chance.random() < 0.1)
                after.writestr(name, _changed(data, chance) if is_changed else data)
        return out.getvalue()
    return _changed(body, chance)


def _changed(body: bytes, chance: random.Random) -> bytes:
    data = bytearray(body)
    for _ in range(chance.choice((1, 1, 2, 5, 20, 100))):
        at = chance.randrange(len(data))
        match chance.randrange(6):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                del data[at : at + chance.randrange(1, 200)]
            case 2:
                data[at:at] = chance.randbytes(chance.randrange(1, 30))
            case 3:
                data[at:at] = data[at : at + chance.randrange(1, 400)] * chance.randrange(1, 5)
            case 4 if chance.random() < 0.3:
                del data[at:]
            case _:
                data[at] ^= 1 << chance.randrange(8)
        data = data or bytearray(b"x")
    return bytes(data)


def main(times: int) -> None:
    """Print for each sample how many mutations were read and refused; a traceback ends it."""
    from medreview.exchange.documents.reading import answer_document
    from medreview.exchange.imports.document_files import container_of
    from tests.exchange.documents.test_hostile_documents import samples

    for name, body in samples().items():
        container = container_of(body[:8192])
        outcomes: Counter[str] = Counter()
        for seed in range(times):
            parts = list(answer_document({"container": container}, mutated(body, random.Random(seed))))
            outcomes["refused" if "refused" in parts[0] else "read"] += 1
        print(f"{name}: {dict(outcomes)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
