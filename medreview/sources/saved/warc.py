"""A WARC file (web archive) in place of the network: pages that a browser extension or a crawler saved."""

from pathlib import Path
from typing import Final
from urllib.parse import urljoin

from medreview.bounded_body import Body, BrokenBodyError, EncodingRefusedError, TooLargeError, encoding_of
from medreview.errors import UserError
from medreview.sources.fetching.fetched import Fetched, http_failure, validator
from medreview.sources.fetching.limits import Limits
from medreview.sources.saved.manifest import url_key
from medreview.sources.saved.warc_records import OpenRecord, WarcRecord, open_record, read_records
from medreview.visible import visible_line

_DEFAULT: Final = Limits()


class WarcPages:
    """The pages of a ``.warc`` or ``.warc.gz`` file by URL, with the same ``get`` as a folder of saved pages.

    Only file offsets are kept in memory. Of several answers for one URL the last counts, but a page is not replaced by
    a redirect. A ``revisit`` record (page unchanged) stands for the record that it refers to, if the archive has it.
    ``note`` is a sentence when the archive is truncated, else empty. Raises :class:`~medreview.errors.UserError` for a
    file that is not a WARC file or holds no web page.
    """

    def __init__(self, path: Path, *, max_bytes: int = _DEFAULT.max_bytes, redirects: int = _DEFAULT.redirects) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._redirects = redirects
        records, truncated = read_records(path)
        self._records = _records_by_url(records)
        if not self._records:
            raise UserError(f"{path} breaks off before the first page." if truncated else f"{path} holds no web pages.")
        self.note = (
            f"{visible_line(str(path))} breaks off; the {len(self._records)} pages before that are used."
            if truncated
            else ""
        )

    def __len__(self) -> int:
        """The number of URLs in the archive, redirects included."""
        return len(self._records)

    def get(self, url: str) -> Fetched | None:
        """The archived answer for a URL as if just fetched; ``None`` when the archive does not have it.

        Redirects are followed within the archive; ``None`` also when a redirect leads out of it.
        """
        chain: tuple[str, ...] = (url,)
        seen = {url_key(url)}
        while True:
            record = self._records.get(url_key(chain[-1]))
            if record is None:
                return None
            if not record.location:
                return self._read(chain, record)
            to = _resolved_location(chain[-1], record.location)
            failure = ""
            if url_key(to) in seen:
                failure = "The redirects of the page go in a circle."
            elif len(chain) > self._redirects:
                failure = f"The page redirects more than {self._redirects} times."
            if failure:
                at = record.fetched_at
                return Fetched(url, chain[-1], chain, record.status, "", b"", at, "http_error", failure)
            seen.add(url_key(to))
            chain = (*chain, to)

    def _read(self, chain: tuple[str, ...], record: WarcRecord) -> Fetched:
        body, state, detail = b"", None, ""
        try:
            with open_record(self.path, record.offset) as opened:
                headers = opened.message.headers
                status = opened.message.status
                state, detail = http_failure(status)
                try:
                    body = self._body(opened)
                except (TooLargeError, BrokenBodyError, EncodingRefusedError) as error:
                    if state is None:
                        state, detail = _failure(error), str(error)
        except (OSError, StopIteration, BrokenBodyError) as error:
            raise UserError(f"{self.path} could not be read again; it was changed while it was in use.") from error
        is_page = state is None
        return Fetched(
            chain[0],
            chain[-1],
            chain,
            status,
            headers.get("content-type", ""),
            body,
            record.fetched_at,
            state,
            detail,
            validator(headers.get("etag", "")) if is_page else "",
            validator(headers.get("last-modified", "")) if is_page else "",
        )

    def _body(self, opened: OpenRecord) -> bytes:
        if opened.truncated:
            message = f"The archive holds only the beginning of the page ({opened.truncated[:40]})."
            raise TooLargeError(message) if opened.truncated == "length" else BrokenBodyError(message)
        encoding = encoding_of(opened.message.headers.get("content-encoding", ""))
        body = Body(encoding=encoding, declared="", max_bytes=self._max_bytes)
        for block in opened.body:
            body.add(block)
        return body.whole()


def _failure(error: Exception) -> str:
    if isinstance(error, TooLargeError):
        return "too_large"
    return "blocked" if isinstance(error, EncodingRefusedError) else "http_error"


def _records_by_url(records: list[WarcRecord]) -> dict[str, WarcRecord]:
    """The record to use for each URL, by canonical URL; ``revisit`` records are resolved."""
    by_id = {record.record_id: record for record in records if record.record_id}
    pages = {url_key(record.url): record for record in records if 200 <= record.status < 300}
    chosen: dict[str, WarcRecord] = {}
    for record in records:
        if record.refers_to is not None:
            original = by_id.get(record.refers_to[0]) or pages.get(url_key(record.refers_to[1]))
            if original is None:
                continue
            record = WarcRecord(record.url, original.offset, original.status, record.fetched_at, original.location)
        key = url_key(record.url)
        before = chosen.get(key)
        if not (before is not None and 200 <= before.status < 300 and 300 <= record.status < 400):
            chosen[key] = record
    return chosen


def _resolved_location(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:
        return location
