"""The style of every page: light and dark, narrow and wide, on paper. Contrast of all text is 4.5 or more."""

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #c8c8c8; --soft: #595959; --link: #0b4f9e;
  --good: #1b6e3c; --bad: #b3261e; --yes: #d7eedd; --yes-ink: #12492a; --no: #f6dad7; --no-ink: #7a1712;
  --mark: #fff1a8; --mark-ink: #1a1a1a; --clash: #ffd0c8; --plot-0: #0b5394; --plot-1: #a64d00; --plot-2: #38761d;
  --plot-3: #741b47; --plot-4: #555555; --plot-5: #00707a; --plot-6: #7a5c00; --plot-7: #4b2e83; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #161616; --line: #4d4d4d; --soft: #b0b0b0; --link: #8ab8ff; --good: #6fcf97;
    --bad: #ff8a80; --yes: #17402a; --yes-ink: #c9f2d8; --no: #56211d; --no-ink: #ffd9d5; --mark: #5a4a00;
    --mark-ink: #fff6d0; --clash: #6b241c; --plot-0: #7db8f0; --plot-1: #f2a65a; --plot-2: #8fd07a; --plot-3: #e39ac0;
    --plot-4: #b8b8b8; --plot-5: #5fcbd6; --plot-6: #d9bd57; --plot-7: #b9a3f0; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 64rem;
  margin: 2rem auto; padding: 0 1rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .5rem; border-bottom: 2px solid var(--ink); padding-bottom: .2rem; }
h3 { margin: 1.75rem 0 .25rem; }
h4, h5, h6 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
p { margin: .35rem 0; overflow-wrap: anywhere; }
nav ul { columns: 16rem; padding-left: 1.2rem; }
.scroll { overflow-x: auto; max-width: 100%; margin: .75rem 0; }
table { border-collapse: collapse; }
caption.aside { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
tbody th { font-weight: inherit; }
tbody th[scope=rowgroup] { font-weight: bold; }
td.words, th.words { min-width: 9rem; }
td.never, th.never { white-space: nowrap; }
td.anywhere, th.anywhere { overflow-wrap: anywhere; min-width: 7rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-align: inherit; text-decoration: underline dotted; text-underline-offset: .2em; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
figure { display: inline-block; width: min-content; max-width: 100%; margin: .5rem 2rem 1rem 0; vertical-align: top; }
figcaption { color: var(--soft); font-size: .9rem; }
figure details { border: 0; padding: 0; }
.plot svg { height: auto; width: auto; max-width: none; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
details { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .75rem; margin: .4rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary h3 { display: inline; font-size: 1.1rem; }
li { margin: .2rem 0; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; border-left: 3px solid var(--line); padding-left: .75rem; }
mark { background: var(--mark); color: var(--mark-ink); }
mark.clash { background: var(--clash); color: inherit; text-decoration: underline; }
sup { font-size: .7em; padding: 0 .15em; line-height: 1; }
.muted { color: var(--soft); }
code { overflow-wrap: anywhere; }
.missed { color: var(--bad); font-weight: bold; }
.met { color: var(--good); font-weight: bold; }
.votes td, .votes th { padding: .15rem .4rem; text-align: center; }
.votes th { font-weight: normal; vertical-align: bottom; max-width: 9rem; overflow-wrap: anywhere; }
.votes tbody th { text-align: left; min-width: 14rem; max-width: 28rem; }
.votes .yes { background: var(--yes); color: var(--yes-ink); }
.votes .no { background: var(--no); color: var(--no-ink); }
.votes .together { font-weight: bold; border-left: 2px solid var(--ink); border-right: 2px solid var(--ink); }
.votes .tie { outline: 2px solid var(--ink); outline-offset: -2px; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
@media (max-width: 34rem) {
  body { margin: 1rem auto; padding: 0 .75rem; }
  dl { display: block; }
  dd { margin: 0 0 .4rem; }
  figure { display: block; width: auto; margin: 1rem 0; }
  .plot svg { max-width: 31rem; }
}
@page { margin: 16mm 14mm; }
@media print {
  body { font-size: 10pt; line-height: 1.35; max-width: none; margin: 0; padding: 0; }
  nav, .skip { display: none; }
  section + section { break-before: auto; }
  .scroll { overflow: visible; }
  figure { display: block; width: auto; }
  .plot svg { max-width: 100%; }
  table { font-size: 9pt; }
  td.never, th.never { white-space: normal; }
  h2, h3, h4, h5, h6, summary { break-after: avoid; }
  figure, .case { break-inside: avoid; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  mark, .yes, .no { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
