-- What a response says the works are that it cites, and what libraries and services know of them.

-- A unit of its own, reference:REFERENCE_ID: whether the reference is real, and the work that it says it is.
INSERT INTO unit_kind VALUES ('reference', 'reference');

ALTER TABLE response ADD COLUMN references_by TEXT; -- the rules that found its references; NULL until they were looked for

-- References as they are printed. The id is made of the response, the place and the text only: other rules may read the
-- same words otherwise, and what people said of them stays. One that newer rules do not find any more stays, too.
CREATE TABLE reference (
    reference_id TEXT PRIMARY KEY,
    response_id TEXT NOT NULL REFERENCES response,
    ordinal INTEGER NOT NULL,            -- among those that the same rules found in the response, from 1
    start_cp INTEGER,                    -- in the response's text; both NULL when it was listed beside the text
    end_cp INTEGER,
    standing TEXT NOT NULL CHECK (standing IN ('list', 'footnote', 'inline', 'given', 'alone')),
    number INTEGER,                      -- the response's own; NULL without one
    parser TEXT NOT NULL,                -- name and version of the rules that found it last
    found_at TEXT NOT NULL,              -- when it was found first
    reading TEXT NOT NULL CHECK (json_valid(reading)), -- JSON: what it says, field by field, with their places
    bare_url INTEGER NOT NULL CHECK (bare_url IN (0, 1)), -- 1: by that reading an address alone, which is never checked
    text_sha256 TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX reference_of ON reference (response_id, number);

-- Whoever means the references of the study reads here: those that the rules of the response's last reading found.
CREATE VIEW reference_current AS
SELECT f.* FROM reference AS f JOIN response AS r USING (response_id) WHERE f.parser = r.references_by;

CREATE TABLE reference_source (          -- the sources of its response that a reference names, by identifier or URL
    reference_id TEXT NOT NULL REFERENCES reference,
    source_id TEXT NOT NULL REFERENCES source,
    PRIMARY KEY (reference_id, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reference_source_source ON reference_source (source_id, reference_id);

-- What authorities answered, so that nobody is asked twice; a failure is no answer. Asked again, the newest counts.
CREATE TABLE authority_answer (
    authority TEXT NOT NULL,             -- crossref, pubmed, ...
    query TEXT NOT NULL,                 -- the words that it was asked by, without keys and addresses
    at_utc TEXT NOT NULL,
    records TEXT NOT NULL CHECK (json_valid(records)), -- a JSON list of records; [] = it has nothing
    PRIMARY KEY (authority, query, at_utc)
) STRICT, WITHOUT ROWID;

-- How a reference compares with what was found. Never changed: what a reviewer saw beside a decision is here, record and all.
CREATE TABLE reference_check (
    check_id TEXT PRIMARY KEY,           -- a hash of all that follows
    reference_id TEXT NOT NULL REFERENCES reference,
    verdict TEXT CHECK -- NULL: withheld, in a copy for a colleague
        (verdict IN ('match', 'mismatch', 'other_work', 'not_found', 'ambiguous', 'not_checkable')),
    rules TEXT NOT NULL,                 -- what read the reference and what compared it, by name and version
    library TEXT NOT NULL,               -- a hash of the records of the library that was asked; '' = none was
    online INTEGER NOT NULL CHECK (online IN (0, 1)), -- 1: services could be asked; 0: only what was known of them
    checked_at TEXT NOT NULL,
    result TEXT NOT NULL CHECK (json_valid(result)) -- JSON: verdict, record, differences, candidates, why, who was asked
) STRICT;
CREATE INDEX reference_check_of ON reference_check (reference_id, checked_at);

CREATE TRIGGER reference_check_is_never_updated BEFORE UPDATE ON reference_check
BEGIN SELECT raise(ABORT, 'checks of references are never changed'); END;
CREATE TRIGGER reference_check_is_never_deleted BEFORE DELETE ON reference_check
BEGIN SELECT raise(ABORT, 'checks of references are never deleted'); END;
CREATE TRIGGER authority_answer_is_never_updated BEFORE UPDATE ON authority_answer
BEGIN SELECT raise(ABORT, 'answers of authorities are never changed'); END;
CREATE TRIGGER authority_answer_is_never_deleted BEFORE DELETE ON authority_answer
BEGIN SELECT raise(ABORT, 'answers of authorities are never deleted'); END;

-- The check that counts: the newest of each reference.
CREATE VIEW reference_checked AS
SELECT c.* FROM reference_check AS c
WHERE NOT EXISTS (SELECT 1 FROM reference_check AS n WHERE n.reference_id = c.reference_id
                  AND (n.checked_at, n.check_id) > (c.checked_at, c.check_id));

-- The references that name each source of a response, and what the newest check says of them; NULL: there is none.
CREATE VIEW source_reference AS
SELECT f.response_id, n.source_id, f.reference_id, c.verdict
FROM reference_current AS f JOIN reference_source AS n USING (reference_id) LEFT JOIN reference_checked AS c USING (reference_id);

-- The references that a statement cites itself: those of its numbers; by name or address those of its sources, where no
-- number says which; and those that stand in its own words. May be several, and none. May repeat a row: what is asked of one
-- statement or reference would else be asked of all of them.
CREATE VIEW statement_reference AS
SELECT m.statement_id, f.reference_id
FROM marker AS m JOIN statement AS s USING (statement_id)
JOIN reference_current AS f ON f.response_id = s.response_id AND f.number = m.number
UNION ALL
SELECT m.statement_id, f.reference_id
FROM marker AS m JOIN statement AS s USING (statement_id)
JOIN reference_source AS n ON n.source_id = m.source_id
JOIN reference_current AS f ON f.reference_id = n.reference_id AND f.response_id = s.response_id
WHERE m.number IS NULL
      OR NOT EXISTS (SELECT 1 FROM reference_current AS o WHERE o.response_id = s.response_id AND o.number = m.number)
UNION ALL
SELECT p.statement_id, f.reference_id
FROM reference_current AS f JOIN statement_place AS p ON p.response_id = f.response_id
WHERE f.standing = 'inline' AND f.start_cp < p."end" AND f.end_cp > p."start";

-- As before; a unit that is a reference counts from when it was found: what was read before says nothing of it.
DROP VIEW units_read;
CREATE VIEW units_read AS
SELECT m.reviewer, m.unit, e.event_id
FROM event AS m CROSS JOIN event AS e ON e.reviewer = m.reviewer
WHERE instr(m.unit, ':') AND e.kind = 'look' AND json_extract(e.payload, '$.shown') = 'verdicts' AND e.at_utc >= coalesce(
    (SELECT u.imported_at FROM unit AS u WHERE u.unit_id = m.unit),
    (SELECT r.imported_at FROM response AS r WHERE r.response_id = substr(m.unit, instr(m.unit, ':') + 1, 17)),
    (SELECT r.imported_at FROM statement AS s JOIN response AS r USING (response_id)
     WHERE s.statement_id = substr(m.unit, instr(m.unit, ':') + 1, 17)),
    (SELECT f.found_at FROM reference AS f WHERE f.reference_id = substr(m.unit, instr(m.unit, ':') + 1, 17)));
