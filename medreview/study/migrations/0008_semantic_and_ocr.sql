-- What encoders and OCR add: pages that were read from pictures.

-- Pages of a snapshot's PDF whose text was read from their pictures; a page that has text of its own is not among them.
CREATE TABLE snapshot_ocr (
    snapshot_id TEXT NOT NULL REFERENCES snapshot,
    page INTEGER NOT NULL CHECK (page >= 1),
    start_cp INTEGER NOT NULL,           -- its part of the snapshot's text
    end_cp INTEGER NOT NULL,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1), -- the mean of its characters
    engine TEXT NOT NULL,                -- name and version
    doubtful TEXT NOT NULL CHECK (json_valid(doubtful)), -- JSON: [[start_cp, end_cp, confidence], ...] of words in doubt
    PRIMARY KEY (snapshot_id, page)
) STRICT, WITHOUT ROWID;

-- What a model of meaning was asked (medreview.judges.semantic_stage): its vectors, 16-bit numbers, low byte first, so that
-- no text is encoded twice. They can be made again.
CREATE TABLE passage_vector (
    encoder TEXT NOT NULL,               -- its name and version: vectors of two are never compared
    snapshot_id TEXT NOT NULL REFERENCES snapshot,
    start_cp INTEGER NOT NULL,           -- the passage, in the snapshot's text
    end_cp INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (encoder, snapshot_id, start_cp, end_cp)
) STRICT, WITHOUT ROWID;

CREATE TABLE statement_vector (
    encoder TEXT NOT NULL,
    statement_id TEXT NOT NULL REFERENCES statement,
    vector BLOB NOT NULL,
    PRIMARY KEY (encoder, statement_id)
) STRICT, WITHOUT ROWID;

-- The score for triage where a model of meaning was asked: the rules' "unsupported" and its similarities together.
ALTER TABLE evidence ADD COLUMN blended REAL;
ALTER TABLE evidence ADD COLUMN encoder TEXT NOT NULL DEFAULT ''; -- which model; '': the rules alone

-- Which page opens is the rules' word, whatever a model of meaning was asked: it has a part in the order of statements only.
DROP VIEW source_order;
CREATE VIEW source_order AS
SELECT statement_id, source_id, snapshot_id, first, cited, readable, unsupported,
       row_number() OVER (PARTITION BY statement_id ORDER BY cited DESC, readable DESC, ifnull(by_rules, 2), first) AS turn,
       row_number() OVER (PARTITION BY statement_id ORDER BY readable DESC, cited DESC, ifnull(by_rules, 2), first) = 1
           AS opens
FROM (SELECT s.statement_id, c.source_id, u.current_snapshot AS snapshot_id, min(c.ordinal) AS first,
             EXISTS (SELECT 1 FROM marker AS m WHERE m.statement_id = s.statement_id AND m.source_id = c.source_id) AS cited,
             ifnull(n.readable, 0) AS readable, e.unsupported AS by_rules,
             ifnull(e.blended, e.unsupported) AS unsupported
      FROM statement AS s JOIN citation AS c USING (response_id) JOIN source AS u USING (source_id)
      LEFT JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot
      LEFT JOIN evidence AS e ON e.statement_id = s.statement_id AND e.snapshot_id = u.current_snapshot
      GROUP BY s.statement_id, c.source_id);
