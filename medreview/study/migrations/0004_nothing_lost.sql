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

-- The first label again, with the moment from which on the judges were seen worked out once for each decision: asked for
-- every earlier decision anew, eighty corrections of one blind label took a second to read, with every key.
DROP VIEW decision_first;
CREATE VIEW decision_first AS
SELECT e.reviewer, e.pass, e.unit, e.axis, e.label, e.snapshot, e.block, e.mode, e.at_utc, e.payload, e.event_id
FROM event_live AS e
WHERE e.kind = 'decide' AND e.event_id = coalesce(
    (SELECT max(b.event_id)
     FROM (SELECT min(coalesce((SELECT min(j.event_id) FROM judges_shown AS j
                                WHERE j.unit = e.unit AND j.reviewer = e.reviewer), '~'),
                      coalesce((SELECT min(k.event_id) FROM judges_read AS k
                                WHERE k.unit = e.unit AND k.reviewer = e.reviewer), '~')) AS event_id) AS seen
     CROSS JOIN event_live AS b
     WHERE b.unit = e.unit AND b.reviewer = e.reviewer AND b.pass = e.pass AND b.axis = e.axis AND b.kind = 'decide'
           AND b.event_id < seen.event_id),
    (SELECT min(a.event_id) FROM event_live AS a
     WHERE a.unit = e.unit AND a.reviewer = e.reviewer AND a.pass = e.pass AND a.axis = e.axis AND a.kind = 'decide'));

-- What was sent to models, a row per question: written before a request goes out, so that what never came back is known
-- after a kill, too. sent - kept - declined were sent and lost, and may have been paid for.
CREATE TABLE llm_sent (
    cache_key TEXT PRIMARY KEY,          -- of llm_call, which has a row once the question has an outcome
    judge TEXT NOT NULL,
    model TEXT NOT NULL,
    host TEXT NOT NULL,
    task TEXT NOT NULL,
    at_utc TEXT NOT NULL,                -- of the last request
    sent INTEGER NOT NULL,               -- HTTP requests, retries and repair turns included
    kept INTEGER NOT NULL DEFAULT 0,     -- of these with an answer of the model that could be read
    declined INTEGER NOT NULL DEFAULT 0  -- with an error of the server, for which nothing is paid
) STRICT, WITHOUT ROWID;

-- Of what was sent before this was counted, nothing is known to be lost; rung is '' where a batch was read.
INSERT INTO llm_sent (cache_key, judge, model, host, task, at_utc, sent, kept, declined)
SELECT cache_key, judge, model, host, task, at_utc, tries, CASE WHEN status = 'ok' THEN 1 ELSE 0 END,
    tries - CASE WHEN status = 'ok' THEN 1 ELSE 0 END
FROM llm_call WHERE tries > 0 AND rung <> '';

-- What speaks against a judge's quote that is in the page, as a proof of "supported": none, off_topic, instructions (it is
-- among instructions to a judge), or the kind of text in which alone the claim stands (hidden, alt, boilerplate, collapsed).
-- NULL: not looked at, as in all judgements of earlier versions, which count as they did.
ALTER TABLE judgement ADD COLUMN quote_doubt TEXT;

-- Whether a statement was flagged when strata by flag first counted for it: 0, 1, or 2 where copies differed, which makes
-- both rates count, so that it does not matter in which order copies meet. NULL: there are no such strata. For rows of
-- earlier versions under other strata: the state that raises no rate.
ALTER TABLE audit_frame ADD COLUMN flagged INTEGER CHECK (flagged IN (0, 1, 2));
UPDATE audit_frame SET flagged = CASE stratum WHEN 'flagged' THEN 1 WHEN 'not flagged' THEN 0 ELSE
    (SELECT max(coalesce(json_extract(payload, '$.rates.flagged'), json_extract(payload, '$.rest')))
            < max(coalesce(json_extract(payload, '$.rates."not flagged"'), json_extract(payload, '$.rest')))
     FROM event WHERE kind = 'audit_rate' AND json_extract(payload, '$.by') = 'flagged') END;
