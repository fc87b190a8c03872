-- Answers as systems write them: how one came about, what was said before it, which stretch of its text cites what; and
-- sources of which only a passage came, or a text that a reviewer gave.

ALTER TABLE response ADD COLUMN producer TEXT NOT NULL DEFAULT '';    -- the format of the file it was read from
ALTER TABLE response ADD COLUMN created_at TEXT NOT NULL DEFAULT '';  -- when the model gave it, as the file says; or ''
ALTER TABLE response ADD COLUMN finish TEXT NOT NULL DEFAULT '';      -- how it ended, a key of labels.FINISHES; or ''
ALTER TABLE response ADD COLUMN question_id TEXT NOT NULL DEFAULT ''; -- shared by repeated runs of one question
ALTER TABLE response ADD COLUMN extra TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(extra)); -- other columns of its record
-- JSON [[start, end, [entry of "listed", ...], quote], ...]: the stretch that cites them, as the producer says
ALTER TABLE response ADD COLUMN ranges TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(ranges));

CREATE TABLE turn (                      -- what was said before a response, the question itself apart
    response_id TEXT NOT NULL REFERENCES response,
    ordinal INTEGER NOT NULL,
    role TEXT NOT NULL,                  -- user, assistant, system
    text TEXT NOT NULL,
    PRIMARY KEY (response_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE claimed_quote (             -- a passage that an answer itself shows as its proof, held against the page
    statement_id TEXT NOT NULL REFERENCES statement,
    snapshot_id TEXT NOT NULL REFERENCES snapshot,
    quote TEXT NOT NULL,
    status TEXT NOT NULL,                -- how true it is to the page, one of labels.QUOTE_STATUSES
    PRIMARY KEY (statement_id, snapshot_id, quote)
) STRICT, WITHOUT ROWID;

DROP VIEW snapshot_content;
CREATE VIEW snapshot_content AS
SELECT snapshot_id, source_id, has_text,
       has_text AND page_state IN ('ok', 'given_with_the_answer', 'given_by_reviewer', 'paywall', 'thin', 'excerpt')
           AS readable,
       iif(page_state IN ('given_with_the_answer', 'given_by_reviewer', 'excerpt'), NULL, has_text AND status IS 200)
           AS valid
FROM (SELECT snapshot_id, source_id, page_state, status,
             text_sha256 <> 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' AS has_text -- of ''
      FROM snapshot);
