"""Small bodies that are large when they are read: compressed zeros, and PDFs byte by byte."""

import gzip
import struct
import zlib


def zeros(megabytes: int, wbits: int) -> bytes:
    """So many megabytes of zeros, compressed (wbits as zlib has them: 31 gzip, 15 zlib, -15 bare).

    One block is made and repeated, which takes a hundredth of the time of compressing them all.
    """
    million = bytes(1_000_000)
    block = zlib.compressobj(9, wbits=-15)
    repeated = block.compress(million) + block.flush(zlib.Z_FULL_FLUSH)
    body = repeated * megabytes + zlib.compressobj(9, wbits=-15).flush()
    if wbits < 0:
        return body
    crc, adler = 0, 1
    for _ in range(megabytes):
        crc, adler = zlib.crc32(million, crc), zlib.adler32(million, adler)
    if wbits < 16:
        return b"\x78\xda" + body + struct.pack(">I", adler)
    return gzip.compress(b"")[:10] + body + struct.pack("<II", crc, megabytes * 1_000_000)


def pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1, the catalogue first, with no table of offsets."""
    body = b"".join(b"%d 0 obj%s endobj\n" % pair for pair in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R/Size %d>>\n%%%%EOF" % (len(objects) + 1)


def pdf_bomb(megabytes: int) -> bytes:
    """A PDF whose one page draws a text of so many megabytes."""
    piece = b"(x) Tj " * 142_857
    block = zlib.compressobj(9, wbits=-15)
    repeated = block.compress(piece) + block.flush(zlib.Z_FULL_FLUSH)
    adler = zlib.adler32(b"BT /F1 12 Tf ")
    for _ in range(megabytes):
        adler = zlib.adler32(piece, adler)
    start = zlib.compressobj(9, wbits=-15)
    first = start.compress(b"BT /F1 12 Tf ") + start.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(9, wbits=-15).flush() + struct.pack(">I", adler)
    return one_page_pdf(b"\x78\xda" + first + repeated * megabytes + end, b"/Filter/FlateDecode")


def one_page_pdf(stream: bytes, entries: bytes = b"", *more: bytes) -> bytes:
    """A PDF of one page with this content; further objects are numbered from 6, and the first is the form /X0."""
    resources = b"<</Font<</F1 5 0 R>>/XObject<</X0 6 0 R>>>>"
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources%s>>" % resources,
        b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *more,
    )
