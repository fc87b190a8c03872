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
