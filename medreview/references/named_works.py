"""Whether the page of a source is that of the work which the response says it is."""

import sqlite3
from typing import Final

# A verdict that tells no work tells nothing of the page. A reference that is of the page's work speaks for it, whatever
# another one makes of the same identifier. An address is no identifier: of it only its page could tell.
_NAMED: Final = """
SELECT n.response_id, n.source_id, max(n.verdict = 'other_work') AND NOT max(n.verdict <> 'other_work') AS other
FROM source_reference AS n JOIN source AS u USING (source_id)
WHERE n.verdict IN ('match', 'mismatch', 'other_work') AND u.kind <> 'url'
GROUP BY n.response_id, n.source_id"""


def pages_of_other_works(reader: sqlite3.Connection) -> dict[tuple[str, str], bool]:
    """By response and source: whether its page is another work than the one that the references of the response name.

    Only sources with an identifier that a checked reference names, where the check tells a work.
    """
    return {(row["response_id"], row["source_id"]): bool(row["other"]) for row in reader.execute(_NAMED)}
