"""Word, Excel and OpenDocument files, RTF and archives of pages, part by part, as the programs write them."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

_W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_S: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_P: Final = "http://schemas.openxmlformats.org/package/2006/relationships"


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else None  # so that its first bytes tell what it is
            file.writestr(name, content, stored)
    return out.getvalue()


def relations(targets: Mapping[str, str]) -> str:
    """The relations of a part: id -> target; those to the web are external."""
    outside = {name: ' TargetMode="External"' if "://" in target else "" for name, target in targets.items()}
    rows = "".join(
        f'<Relationship Id="{name}" Target="{escape(target)}"{outside[name]}/>' for name, target in targets.items()
    )
    return f'<Relationships xmlns="{_P}">{rows}</Relationships>'


STYLES: Final = f"""<w:styles xmlns:w="{_W}">
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/>
  <w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My heading"/><w:basedOn w:val="berschrift2"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Aufzhlung"><w:name w:val="List Bullet"/>
  <w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
</w:styles>"""
NUMBERING: Final = f"""<w:numbering xmlns:w="{_W}">
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val=""/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="[%1]"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/>
  <w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>
</w:numbering>"""


def run(text: str, properties: str = "") -> str:
    """A run of a Word paragraph."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(content: str, style: str = "", numbered: tuple[int, int] | None = None) -> str:
    """A Word paragraph of runs; ``numbered`` is the id of its list and its depth."""
    said = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbered:
        said += f'<w:numPr><w:ilvl w:val="{numbered[1]}"/><w:numId w:val="{numbered[0]}"/></w:numPr>'
    return f"<w:p><w:pPr>{said}</w:pPr>{content}</w:p>"


def hyperlink(text: str, name: str) -> str:
    """A link by the id of its relation."""
    return f'<w:hyperlink r:id="{name}">{run(text)}</w:hyperlink>'


def field(told: str, result: str) -> str:
    """A field: what it does, and the runs that it shows."""
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    return (
        f"{mark.format('begin')}<w:r><w:instrText>{escape(told)}</w:instrText></w:r>{mark.format('separate')}{result}"
        f"{mark.format('end')}"
    )


def word(body: str, links: Mapping[str, str] | None = None, more: Mapping[str, str | bytes] | None = None) -> bytes:
    """A Word document with this body; ``more`` are further parts."""
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": f'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{_W}" xmlns:r="{_R}">'
            f"<w:body>{body}<w:sectPr/></w:body></w:document>",
            "word/styles.xml": STYLES,
            "word/numbering.xml": NUMBERING,
            "word/_rels/document.xml.rels": relations(links or {}),
            **(more or {}),
        }
    )


def footnotes(texts: Sequence[str], kind: str = "footnote") -> str:
    """The part with the notes of a Word document, numbered from 1."""
    rows = "".join(
        f'<w:{kind} w:id="{number}"><w:p><w:r><w:{kind}Ref/></w:r>{text}</w:p></w:{kind}>'
        for number, text in enumerate(texts, 1)
    )
    return f'<w:{kind}s xmlns:w="{_W}" xmlns:r="{_R}"><w:{kind} w:id="-1" w:type="separator"/>{rows}</w:{kind}s>'


def workbook(
    sheets: Mapping[str, str],
    shared: Sequence[str] = (),
    formats: Sequence[str] = (),
    links: Mapping[str, str] | None = None,
) -> bytes:
    """A workbook: name of a sheet -> its XML below ``worksheet``; ``formats`` are those of the styles 1, 2, ..."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f'<workbook xmlns="{_S}" xmlns:r="{_R}"><sheets>'
        + "".join(f'<sheet name="{escape(name)}" r:id="s{number}"/>' for number, name in enumerate(sheets))
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations({f"s{n}": f"worksheets/sheet{n}.xml" for n in range(len(sheets))}),
        "xl/sharedStrings.xml": f'<sst xmlns="{_S}">'
        + "".join(f"<si><t>{escape(one)}</t></si>" for one in shared)
        + "</sst>",
        "xl/styles.xml": f'<styleSheet xmlns="{_S}"><numFmts>'
        + "".join(f'<numFmt numFmtId="{200 + n}" formatCode="{escape(code)}"/>' for n, code in enumerate(formats))
        + '</numFmts><cellXfs><xf numFmtId="0"/>'
        + "".join(f'<xf numFmtId="{200 + n}"/>' for n in range(len(formats)))
        + "</cellXfs></styleSheet>",
    }
    for number, content in enumerate(sheets.values()):
        parts[f"xl/worksheets/sheet{number}.xml"] = f'<worksheet xmlns="{_S}" xmlns:r="{_R}">{content}</worksheet>'
        parts[f"xl/worksheets/_rels/sheet{number}.xml.rels"] = relations(links or {})
    return zipped(parts)


def rows(*cells: Sequence[str], first: int = 1) -> str:
    """The rows of a sheet with texts in their cells."""
    found = ""
    for number, row in enumerate(cells, first):
        texts = "".join(
            f'<c r="{chr(65 + at)}{number}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'
            for at, text in enumerate(row)
            if text
        )
        found += f'<row r="{number}">{texts}</row>'
    return f"<sheetData>{found}</sheetData>"


_URN: Final = "urn:oasis:names:tc:opendocument:xmlns"
_O: Final = " ".join(
    [*(f'xmlns:{name}="{_URN}:{name}:1.0"' for name in ("office", "text", "table", "style")),
     'xmlns:xlink="http://www.w3.org/1999/xlink"']
)  # fmt: skip


def open_document(kind: str, body: str, styles: str = "") -> bytes:
    """An OpenDocument file; ``kind`` is ``text`` or ``spreadsheet``."""
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {_O}><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        }
    )


def saved_page(html: str, address: str) -> bytes:
    """A page as a browser saves it in one file."""
    head = (
        f"From: <Saved by Blink>\r\nSnapshot-Content-Location: {address}\r\nSubject: An answer\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="----M--"\r\n\r\n\r\n------M--\r\n'
        "Content-Type: text/html\r\nContent-Transfer-Encoding: 8bit\r\n"
        f"Content-Location: {address}\r\n\r\n"
    )
    return head.encode() + html.encode() + b"\r\n------M----\r\n"
