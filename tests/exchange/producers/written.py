"""Files as tests write them."""

import json
from typing import Any


def lines(*records: Any) -> str:
    """JSON lines."""
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
