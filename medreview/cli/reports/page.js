"use strict";
{
  const number = (text) => {
    const found = /^[<>]?\s*(-?[\d,]*\.?\d+)\s*(%|$|[\s(])/.exec(text);
    return found ? Number(found[1].replaceAll(",", "")) : NaN;
  };
  const words = (row, place) => row.cells[place].textContent.trim();
  const order = (one, other) => {
    if (!one || !other) return one ? -1 : other ? 1 : 0;
    const [a, b] = [number(one), number(other)];
    if (isNaN(a) !== isNaN(b)) return isNaN(a) ? 1 : -1;
    return isNaN(a) ? one.localeCompare(other, "en", { numeric: true }) : a - b;
  };
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      if (head.tagName !== "TH") return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => {
          const [one, other] = [words(a, place), words(b, place)];
          return (down && one && other ? -1 : 1) * order(one, other);
        });
        table.tBodies[0].append(...rows);
      });
    });
  }
  const folded = [];
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details:not([open])")) {
      part.open = true;
      folded.push(part);
    }
  });
  addEventListener("afterprint", () => {
    for (const part of folded.splice(0)) part.open = false;
  });
  const unfold = () => {
    const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = at; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    if (at) at.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();
}
