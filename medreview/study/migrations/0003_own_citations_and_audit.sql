-- What a statement cites itself, what of a response is no statement, and the audit by permanent random numbers.

-- The answer's own numbers of its sources. Two numbers may be one source ([3]=[4]), and one may stand for several
-- (an entry with a DOI and a PMID).
CREATE TABLE own_number (
    response_id TEXT NOT NULL REFERENCES response,
    number INTEGER NOT NULL,
    source_id TEXT NOT NULL REFERENCES source,
    PRIMARY KEY (response_id, number, source_id)
) STRICT, WITHOUT ROWID;

-- A statement's own references, in the order of the text: one row for each number or source of each.
CREATE TABLE marker (
    statement_id TEXT NOT NULL REFERENCES statement,
    ordinal INTEGER NOT NULL,
    "start" INTEGER,                     -- in the response; both NULL where the statement stands elsewhere than in it
    "end" INTEGER,
    text TEXT NOT NULL,                  -- as written: [3, 4], (Smith 2019), https://...
    number INTEGER,                      -- the answer's own; NULL for a name or an address
    source_id TEXT REFERENCES source,    -- NULL when the answer's list has no such entry
    PRIMARY KEY (statement_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX marker_source ON marker (source_id, statement_id);

-- The order of a response's sources beside each of its statements (turn), and which of them opens (opens): cited by the
-- statement and readable, then the best evidence by the offline rules, then the response's order. first: its first
-- citation in the response. What a verdict has as its snapshot is, from here on, the page that its gravest flag is about.
CREATE VIEW source_order AS
SELECT statement_id, source_id, snapshot_id, first, cited, readable, unsupported,
       row_number() OVER (PARTITION BY statement_id ORDER BY cited DESC, readable DESC, ifnull(unsupported, 2), first) AS turn,
       row_number() OVER (PARTITION BY statement_id ORDER BY readable DESC, cited DESC, ifnull(unsupported, 2), first) = 1
           AS opens
FROM (SELECT s.statement_id, c.source_id, u.current_snapshot AS snapshot_id, min(c.ordinal) AS first,
             EXISTS (SELECT 1 FROM marker AS m WHERE m.statement_id = s.statement_id AND m.source_id = c.source_id) AS cited,
             ifnull(n.readable, 0) AS readable, e.unsupported
      FROM statement AS s JOIN citation AS c USING (response_id) JOIN source AS u USING (source_id)
      LEFT JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot
      LEFT JOIN evidence AS e ON e.statement_id = s.statement_id AND e.snapshot_id = u.current_snapshot
      GROUP BY s.statement_id, c.source_id);

CREATE TABLE left_out (                  -- text of a response that is no statement
    left_out_id TEXT PRIMARY KEY,
    response_id TEXT NOT NULL REFERENCES response,
    "start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    reason TEXT NOT NULL,
    UNIQUE (response_id, "start")
) STRICT;

ALTER TABLE response ADD COLUMN marked TEXT;      -- the rules for own numbers and markers; NULL until they were looked for
ALTER TABLE response ADD COLUMN left_out_by TEXT; -- the parser that listed what is left out; NULL until it did

-- For the order of what no model has checked.
ALTER TABLE verdict ADD COLUMN by_rules INTEGER NOT NULL DEFAULT 0; -- 1: the offline rules' word, no other judge was asked
ALTER TABLE verdict ADD COLUMN doubt REAL; -- 0..1: "unsupported" of the page that opens; NULL when nothing was compared

-- A statement of several ranges of the response, each in its place and joined by a blank: start and end are NULL then.
ALTER TABLE statement ADD COLUMN parts TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(parts)); -- JSON [[start, end], ...]

-- Where the statements stand in their responses, a row for each range; one row without a place for what was reworded.
CREATE VIEW statement_place AS
SELECT s.statement_id, s.response_id, json_extract(p.value, '$[0]') AS "start", json_extract(p.value, '$[1]') AS "end"
FROM statement AS s, json_each(iif(s.parts = '[]', json_array(json_array(s."start", s."end")), s.parts)) AS p;

-- The audit (Ohlsson 1995): every statement has a permanent random number in [0, 1); members are those whose number is
-- below their rate, which is only ever raised. A row per statement once an audit is drawn; rate 0: none of the stratum.
-- An earlier version drew once, with equal probability, as a list: numbers are given to it by number_given_draw
-- (medreview.study.permanent_numbers).
CREATE TABLE audit_frame (
    statement_id TEXT PRIMARY KEY REFERENCES statement,
    number REAL NOT NULL,
    stratum TEXT NOT NULL,               -- all, model atlas-2, origin forum, flagged, not flagged: what gave the rate
    rate REAL NOT NULL
) STRICT;
INSERT INTO audit_frame
SELECT s.statement_id, number_given_draw(i.value, s.statement_id, d.rate, a.position, d.size), 'all', d.rate
FROM statement AS s
JOIN (SELECT max(inclusion_prob) AS rate, max(position) AS size FROM audit_item) AS d ON d.rate IS NOT NULL
JOIN study AS i ON i.key = 'study_id'
LEFT JOIN audit_item AS a USING (statement_id);
DROP TABLE audit_item;
CREATE INDEX audit_order ON audit_frame (number) WHERE number < rate;
CREATE VIEW audit_item AS
SELECT statement_id, number, stratum, rate AS inclusion_prob FROM audit_frame WHERE number < rate;

-- As before; a text that came with the answer can be read, but says nothing of its address, which was not asked: valid is
-- NULL then.
DROP VIEW snapshot_content;
CREATE VIEW snapshot_content AS
SELECT snapshot_id, source_id, has_text,
       has_text AND page_state IN ('ok', 'given_with_the_answer', 'paywall', 'thin') AS readable,
       iif(page_state = 'given_with_the_answer', NULL, has_text AND status IS 200) AS valid
FROM (SELECT snapshot_id, source_id, page_state, status,
             text_sha256 <> 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' AS has_text -- of ''
      FROM snapshot);

CREATE TABLE listed_pair (               -- a table that was imported says by which sources its statements are judged
    statement_id TEXT NOT NULL REFERENCES statement,
    source_id TEXT NOT NULL REFERENCES source,
    PRIMARY KEY (statement_id, source_id)
) STRICT, WITHOUT ROWID;

-- By which sources a statement is judged: those that were listed with it, else all of its response. May repeat a row.
CREATE VIEW judged_pair AS
SELECT s.statement_id, c.source_id, c.ordinal
FROM statement AS s JOIN citation AS c USING (response_id)
WHERE EXISTS (SELECT 1 FROM listed_pair AS l WHERE l.statement_id = s.statement_id AND l.source_id = c.source_id)
   OR NOT EXISTS (SELECT 1 FROM listed_pair AS l WHERE l.statement_id = s.statement_id);

-- What people can do: a table, so that a new kind is a row. The unit of an act on the whole study is its study_id.
CREATE TABLE event_kind (kind TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO event_kind VALUES ('shown'), ('decide'), ('revise'), ('retract'), ('reveal'), ('reason'), ('defer'), ('flag'),
    ('note'), ('span_add'), ('span_del'),
    ('promote'),                         -- text that was left out becomes a statement
    ('audit_rate'), ('audit_release'),   -- how much is audited; members are no longer kept from triage
    ('look'),                            -- figures or an export of the judges' opinion were read
    ('listed');                          -- a list said beside the statement why it is flagged, or that it is not

CREATE TEMPORARY TABLE event_before AS
SELECT seq, event_id, at_utc, reviewer, session, kind, unit, snapshot, pass, block, mode, payload, undoes_event,
       app_version, label_set_version, previous_hash, hash FROM event;
DROP TABLE event;
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,             -- the order in which this file learnt of it
    event_id TEXT NOT NULL UNIQUE,       -- a ULID; its order is the order in time
    at_utc TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    session TEXT NOT NULL,
    kind TEXT NOT NULL REFERENCES event_kind,
    unit TEXT NOT NULL,                  -- a statement_id, or the study_id
    snapshot TEXT,                       -- the snapshot that was on the screen
    pass INTEGER NOT NULL,
    block TEXT NOT NULL,                 -- the queue it was met in
    mode TEXT NOT NULL CHECK (mode IN ('blind', 'open')),
    payload TEXT NOT NULL CHECK (json_valid(payload)),
    undoes_event TEXT,
    app_version TEXT NOT NULL,
    label_set_version TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    axis TEXT GENERATED ALWAYS AS (json_extract(payload, '$.axis')) VIRTUAL,
    label TEXT GENERATED ALWAYS AS (json_extract(payload, '$.label')) VIRTUAL
) STRICT;
INSERT INTO event SELECT seq, event_id, at_utc, reviewer, session, kind, unit, snapshot, pass, block, mode, payload,
       undoes_event, app_version, label_set_version, previous_hash, hash FROM event_before ORDER BY seq;
DROP TABLE event_before;
CREATE INDEX event_unit ON event (unit, reviewer);
CREATE INDEX event_undoes ON event (undoes_event) WHERE undoes_event IS NOT NULL;
CREATE INDEX event_session ON event (session, event_id);

CREATE TRIGGER event_is_never_updated BEFORE UPDATE ON event
BEGIN SELECT raise(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN SELECT raise(ABORT, 'events are never deleted'); END;

-- Who wants the audit's members back in triage, although the figure is assisted in part then: until more is drawn.
CREATE INDEX event_audit_rate ON event (event_id) WHERE kind = 'audit_rate';
CREATE INDEX event_audit_release ON event (reviewer) WHERE kind = 'audit_release';
CREATE VIEW audit_released AS
SELECT reviewer FROM event WHERE kind = 'audit_release' GROUP BY reviewer
HAVING max(event_id) > coalesce((SELECT max(event_id) FROM event WHERE kind = 'audit_rate'), '');

-- Members that are not kept from a reviewer any more: decided, or seen with the judges' opinion.
CREATE VIEW audit_met AS
SELECT reviewer, unit FROM event_live WHERE kind IN ('decide', 'revise') AND axis = 'evidence'
UNION ALL SELECT reviewer, unit FROM judges_shown;

-- Each event by which a reviewer saw on the screen what the judges, the flags or the model's name say of a statement.
CREATE VIEW judges_shown AS
SELECT reviewer, unit, event_id FROM event
WHERE kind = 'reveal' OR (mode = 'open' AND kind <> 'retract')
      OR (kind IN ('decide', 'revise') AND coalesce(json_extract(payload, '$.exposure.judge_verdict'), 'before') <> 'no');

-- Each look at single verdicts of the whole study (an export, a table), for every statement that was there by then.
CREATE INDEX event_look ON event (reviewer) WHERE kind = 'look';
CREATE VIEW judges_read AS
SELECT e.reviewer, s.statement_id AS unit, e.event_id
FROM event AS e JOIN response AS r ON r.imported_at <= e.at_utc JOIN statement AS s USING (response_id)
WHERE e.kind = 'look' AND json_extract(e.payload, '$.shown') = 'verdicts';

-- The condition alone (medreview.study.counts) is asked of rows that are read anyway.
DROP VIEW standing_differing;

-- From which event on a reviewer knew it, in whatever pass, and also when the act was taken back: it cannot be unseen.
-- Two parts, because one group over both would read the whole record for a single statement.
DROP VIEW judges_seen;
CREATE VIEW judges_seen AS
SELECT j.reviewer, j.unit,
       min(min(j.event_id), coalesce((SELECT min(k.event_id) FROM judges_read AS k
                                      WHERE k.unit = j.unit AND k.reviewer = j.reviewer), '~')) AS event_id
FROM judges_shown AS j GROUP BY j.reviewer, j.unit
UNION ALL
SELECT k.reviewer, k.unit, min(k.event_id) FROM judges_read AS k
WHERE NOT EXISTS (SELECT 1 FROM judges_shown AS j WHERE j.unit = k.unit AND j.reviewer = k.reviewer)
GROUP BY k.reviewer, k.unit;

-- The first label is the one that stood when the judges were seen: what is corrected before that is no first opinion.
-- Where they were seen from the start, it is the first decision. ('~' comes after every event.)
DROP VIEW decision_first;
CREATE VIEW decision_first AS
SELECT e.reviewer, e.pass, e.unit, e.axis, e.label, e.snapshot, e.block, e.mode, e.at_utc, e.payload, e.event_id
FROM event_live AS e
WHERE e.kind = 'decide' AND e.event_id = coalesce(
    (SELECT max(b.event_id) FROM event_live AS b
     WHERE b.unit = e.unit AND b.reviewer = e.reviewer AND b.pass = e.pass AND b.axis = e.axis AND b.kind = 'decide'
           AND b.event_id < min(coalesce((SELECT min(j.event_id) FROM judges_shown AS j
                                          WHERE j.unit = e.unit AND j.reviewer = e.reviewer), '~'),
                                coalesce((SELECT min(k.event_id) FROM judges_read AS k
                                          WHERE k.unit = e.unit AND k.reviewer = e.reviewer), '~'))),
    (SELECT min(a.event_id) FROM event_live AS a
     WHERE a.unit = e.unit AND a.reviewer = e.reviewer AND a.pass = e.pass AND a.axis = e.axis AND a.kind = 'decide'));

-- The statements that a reviewer decided or put off blind and whose judges were not revealed after that: hidden until
-- they are, also when that was taken back, unless they were seen otherwise. act: what stands, decide, revise, defer or
-- nothing; block: the queue of the last blind act.
CREATE VIEW kept_blind AS
SELECT b.reviewer, b.pass, b.unit, b.block,
       (SELECT l.kind FROM event_live AS l
        WHERE l.unit = b.unit AND l.reviewer = b.reviewer AND l.pass = b.pass
              AND (l.kind = 'defer' OR (l.kind IN ('decide', 'revise') AND l.axis = 'evidence'))
        ORDER BY l.event_id DESC LIMIT 1) AS act,
       EXISTS (SELECT 1 FROM judges_shown AS j WHERE j.unit = b.unit AND j.reviewer = b.reviewer) AS seen
FROM (SELECT reviewer, pass, unit, block, max(event_id) AS event_id FROM event
      WHERE mode = 'blind' AND (kind = 'defer' OR (kind = 'decide' AND axis = 'evidence'))
      GROUP BY reviewer, pass, unit) AS b
WHERE NOT EXISTS (SELECT 1 FROM event AS r WHERE r.unit = b.unit AND r.reviewer = b.reviewer AND r.pass = b.pass
                  AND r.kind = 'reveal' AND r.event_id > b.event_id);
