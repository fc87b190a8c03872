-- What is being written and was not kept yet, and which parts of a page a reader does not see at once.

-- Lines that a reviewer has begun to type: kept while they are typed, deleted when they are saved or given up. Like the
-- bookmark it is overwritten, is no decision, and leaves the study in no export.
CREATE TABLE draft (
    reviewer TEXT NOT NULL,
    unit TEXT NOT NULL,                  -- what it is written on: a statement_id
    field TEXT NOT NULL,                 -- what would become of it: note, reason, ...
    text TEXT NOT NULL,
    at_utc TEXT NOT NULL,
    PRIMARY KEY (reviewer, unit, field)
) STRICT, WITHOUT ROWID;

-- Parts of a snapshot's text that do not stand open on the page, as JSON [[start, end, kind], ...] in text order.
-- collapsed: behind a control that opens it (an accordion, a tab); hidden: no reader sees it (off the screen, of no size,
-- white on white, display:none without a control); alt: the words for an image; boilerplate: a menu, a footer.
ALTER TABLE snapshot ADD COLUMN set_apart TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(set_apart));

-- A short hash over all stored columns of every row of every other table. The triggers that keep it are made from the
-- schema, after the last step (medreview.study.row_seals).
CREATE TABLE row_seal (
    of_table INTEGER NOT NULL,           -- the table's number
    row_key INTEGER NOT NULL,            -- a hash of the row's primary key
    seal BLOB NOT NULL,
    PRIMARY KEY (of_table, row_key)
) STRICT, WITHOUT ROWID;
