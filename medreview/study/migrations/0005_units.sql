-- Other things than a statement are reviewed: units of several kinds, each with its own axis.

-- The kinds of unit, and the axis on which a decision makes a unit of the kind decided. The id of a unit is KIND:ID, or
-- KIND:ID:ID for one that is made of two things; that of a statement is its statement_id, without a kind before it.
CREATE TABLE unit_kind (
    kind TEXT PRIMARY KEY,
    axis TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO unit_kind VALUES
    ('statement', 'evidence'),
    ('pair', 'evidence'),                -- pair:STATEMENT_ID:SOURCE_ID, a statement and one source
    ('response', 'all_supported'),       -- response:RESPONSE_ID, a whole response
    ('answer', 'hallucination'),         -- answer:RESPONSE_ID, a response as an answer, whatever its statements are
    ('fact', 'presence'),                -- fact:RESPONSE_ID:KEY_FACT_ID, a key fact in one response
    ('qa', 'relevance'),                 -- all below are rows of the table unit
    ('ranking', 'rank'),
    ('suggestion', 'suggestion'),        -- a suggested key fact of a case
    ('question', 'answerability'),
    ('revision', 'revision');

CREATE TABLE passage (                   -- a text that questions, items and revisions are about
    passage_id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    url TEXT NOT NULL,                   -- where it came from, or ''
    imported_at TEXT NOT NULL,
    imported_from TEXT NOT NULL,
    text_sha256 TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE clinical_case (             -- a patient's story as written for a study; never a real patient's name
    case_id TEXT PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    record_id TEXT NOT NULL,
    title TEXT NOT NULL,
    question TEXT NOT NULL,              -- what models were asked to write about it; responses to it belong to the case
    question_sha256 TEXT NOT NULL,
    reference TEXT NOT NULL,             -- the text that a human wrote, or ''
    imported_at TEXT NOT NULL,
    imported_from TEXT NOT NULL
) STRICT;
CREATE INDEX case_question ON clinical_case (question_sha256);

CREATE TABLE case_note (
    note_id TEXT PRIMARY KEY,
    case_id TEXT NOT NULL REFERENCES clinical_case,
    ordinal INTEGER NOT NULL,            -- in the order of their dates
    kind TEXT NOT NULL CHECK (kind IN ('hp', 'progress', 'allied', 'other')),
    at TEXT NOT NULL,                    -- its date, or ''
    author TEXT NOT NULL,
    text_sha256 TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (case_id, ordinal)
) STRICT;

CREATE TABLE unit (                      -- units that came as such: their content is never changed
    unit_id TEXT PRIMARY KEY,            -- KIND: and a hash of the content
    kind TEXT NOT NULL REFERENCES unit_kind,
    ordinal INTEGER NOT NULL,            -- among those of its kind
    record_id TEXT NOT NULL,             -- the id in the file it came from, or ''
    origin TEXT NOT NULL,                -- a stratum
    model TEXT NOT NULL,                 -- who wrote it, or ''; hidden in blind mode
    belongs_to TEXT NOT NULL,            -- case, passage or response that it is part of: what to resample; '' = itself
    text TEXT NOT NULL,                  -- what lists show and a filter finds: the question, the fact
    content TEXT NOT NULL CHECK (json_valid(content)), -- as its kind defines it (medreview.units)
    content_sha256 TEXT NOT NULL,
    made_by TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(made_by)), -- model, prompt, run of what generated it; {} = given
    imported_at TEXT NOT NULL,
    imported_from TEXT NOT NULL,
    UNIQUE (kind, ordinal)
) STRICT;
CREATE INDEX unit_of ON unit (belongs_to) WHERE belongs_to <> '';

CREATE TABLE reference_answer (          -- what a correct answer to a question is
    question_sha256 TEXT PRIMARY KEY,
    question TEXT NOT NULL,
    text TEXT NOT NULL,
    imported_at TEXT NOT NULL,
    imported_from TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE gold (                      -- the right label, known beforehand: hidden until the unit's block is done
    unit TEXT NOT NULL,
    axis TEXT NOT NULL,
    label TEXT NOT NULL,
    spans TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(spans)), -- JSON [{target, start, end, exact, label}, ...]
    why TEXT NOT NULL DEFAULT '',
    attention INTEGER NOT NULL DEFAULT 0, -- 1: no judgement is needed to get it right, only attention
    added_by TEXT NOT NULL,
    added_at TEXT NOT NULL,
    PRIMARY KEY (unit, axis)
) STRICT, WITHOUT ROWID;

CREATE TABLE opinion (                   -- what a machine says of a unit for which judges have no table of their own
    opinion_id TEXT PRIMARY KEY,
    unit TEXT NOT NULL,
    judge TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_id TEXT NOT NULL,
    axis TEXT NOT NULL,
    raw_label TEXT NOT NULL,
    label TEXT,                          -- a level of the axis; NULL when the raw label maps to none
    confidence REAL,
    reason TEXT NOT NULL,
    quote TEXT NOT NULL,
    given_at TEXT NOT NULL,
    imported_from TEXT NOT NULL
) STRICT;
CREATE INDEX opinion_unit ON opinion (unit);

CREATE TABLE saved_filter (              -- a reviewer's own; overwritten when saved again
    reviewer TEXT NOT NULL,
    name TEXT NOT NULL,
    queue TEXT NOT NULL,
    filter TEXT NOT NULL,
    at_utc TEXT NOT NULL,
    PRIMARY KEY (reviewer, name)
) STRICT, WITHOUT ROWID;

INSERT INTO event_kind VALUES
    ('adjudicate'),                      -- a label that settles a conflict of two reviewers, by a third or by agreement
    ('background'),                      -- who the reviewer is: role, years; the unit is the study
    ('guideline'), ('guideline_read'),   -- another text of the guidelines; that it was shown; the unit is the study
    ('gold_told'),                       -- the right labels of gold items were shown; the unit is the study
    ('split'), ('join'), ('exclude'),    -- a statement is cut in two, joined with the next, or is not medical
    ('span_move'),                       -- a span has other ends
    ('finding'),                         -- a machine's finding is taken over or rejected
    ('fact_add'),                        -- the reviewer adds a key fact: makes its unit
    ('share_rate'), ('pass_rate');       -- how much is annotated a second time: by another reviewer, by the same one

-- What makes a unit decided or put off: a decision on the axis of its kind ('evidence' is that of every kind it occurs
-- in), or a deferral. Not on a statement that is retired (below), nor on a pair of one: a look at one row each, since a list
-- of them would be made anew with every key.
CREATE VIEW main_act AS
SELECT * FROM event
WHERE (kind = 'defer' OR (kind IN ('decide', 'revise') AND
    (axis = 'evidence' OR axis = (SELECT k.axis FROM unit_kind AS k WHERE k.kind = substr(unit, 1, instr(unit, ':') - 1)))))
    AND NOT EXISTS (SELECT 1 FROM retired_statement AS x
                    WHERE x.statement_id = iif(unit GLOB 'pair:*', substr(unit, 6, instr(substr(unit, 6), ':') - 1), unit));
CREATE VIEW main_live AS
SELECT * FROM event_live
WHERE (kind = 'defer' OR (kind IN ('decide', 'revise') AND
    (axis = 'evidence' OR axis = (SELECT k.axis FROM unit_kind AS k WHERE k.kind = substr(unit, 1, instr(unit, ':') - 1)))))
    AND NOT EXISTS (SELECT 1 FROM retired_statement AS x
                    WHERE x.statement_id = iif(unit GLOB 'pair:*', substr(unit, 6, instr(substr(unit, 6), ':') - 1), unit));

-- As before, for every kind of unit.
DROP VIEW standing;
CREATE VIEW standing AS
SELECT reviewer, pass, unit, CASE kind WHEN 'defer' THEN 'deferred' ELSE 'decided' END AS state, label, snapshot,
       max(event_id) AS event_id
FROM main_live GROUP BY reviewer, pass, unit;

DROP VIEW kept_blind;
CREATE VIEW kept_blind AS
SELECT b.reviewer, b.pass, b.unit, b.block,
       (SELECT l.kind FROM main_live AS l
        WHERE l.unit = b.unit AND l.reviewer = b.reviewer AND l.pass = b.pass
        ORDER BY l.event_id DESC LIMIT 1) AS act,
       EXISTS (SELECT 1 FROM judges_shown AS j WHERE j.unit = b.unit AND j.reviewer = b.reviewer) AS seen
FROM (SELECT reviewer, pass, unit, block, max(event_id) AS event_id FROM main_act
      WHERE mode = 'blind' AND kind <> 'revise'
      GROUP BY reviewer, pass, unit) AS b
WHERE NOT EXISTS (SELECT 1 FROM event AS r WHERE r.unit = b.unit AND r.reviewer = b.reviewer AND r.pass = b.pass
                  AND r.kind = 'reveal' AND r.event_id > b.event_id);

-- As before; axis: that of the unit's kind.
DROP VIEW reviewer_label;
CREATE VIEW reviewer_label AS
SELECT reviewer, pass, unit, axis, mode,
       iif(mode = 'blind', first_label, current) AS label,
       iif(mode = 'blind', first_event, current_event) AS event_id,
       iif(mode = 'blind', first_block, current_block) AS block,
       current,
       mode = 'blind' AND current <> first_label AND coalesce(seen_from < current_event, 0) AS changed_after_reveal
FROM (SELECT c.reviewer, c.pass, c.unit, c.axis, c.label AS current, c.event_id AS current_event,
             c.block AS current_block,
             f.label AS first_label, f.event_id AS first_event, f.block AS first_block, s.event_id AS seen_from,
             iif(f.event_id IS NULL OR s.event_id <= f.event_id, 'assisted', 'blind') AS mode
      FROM decision_current AS c
      LEFT JOIN decision_first AS f USING (reviewer, pass, unit, axis)
      LEFT JOIN judges_seen AS s USING (reviewer, unit)
      WHERE c.axis = 'evidence'
            OR c.axis = (SELECT k.axis FROM unit_kind AS k WHERE k.kind = substr(c.unit, 1, instr(c.unit, ':') - 1)));

-- The same for other units: those that the reviewer met and that were there when everything was read. A unit's first id is
-- a row of unit, a response, or a statement. Not a part of judges_read: a view of two parts is worked out whole wherever
-- one unit is asked for, which took half a minute in a study of 25,000 labels.
CREATE VIEW units_read AS
SELECT m.reviewer, m.unit, e.event_id
FROM event AS m CROSS JOIN event AS e ON e.reviewer = m.reviewer
WHERE instr(m.unit, ':') AND e.kind = 'look' AND json_extract(e.payload, '$.shown') = 'verdicts' AND e.at_utc >= coalesce(
    (SELECT u.imported_at FROM unit AS u WHERE u.unit_id = m.unit),
    (SELECT r.imported_at FROM response AS r WHERE r.response_id = substr(m.unit, instr(m.unit, ':') + 1, 17)),
    (SELECT r.imported_at FROM statement AS s JOIN response AS r USING (response_id)
     WHERE s.statement_id = substr(m.unit, instr(m.unit, ':') + 1, 17)));

-- As before, of both. ('~' comes after every event.)
DROP VIEW judges_seen;
CREATE VIEW judges_seen AS
SELECT j.reviewer, j.unit,
       min(min(j.event_id),
           coalesce((SELECT min(k.event_id) FROM judges_read AS k
                     WHERE k.unit = j.unit AND k.reviewer = j.reviewer), '~'),
           coalesce((SELECT min(k.event_id) FROM units_read AS k
                     WHERE k.unit = j.unit AND k.reviewer = j.reviewer), '~')) AS event_id
FROM judges_shown AS j GROUP BY j.reviewer, j.unit
UNION ALL
SELECT k.reviewer, k.unit, min(k.event_id) FROM judges_read AS k
WHERE NOT EXISTS (SELECT 1 FROM judges_shown AS j WHERE j.unit = k.unit AND j.reviewer = k.reviewer)
GROUP BY k.reviewer, k.unit
UNION ALL
SELECT k.reviewer, k.unit, min(k.event_id) FROM units_read AS k
WHERE NOT EXISTS (SELECT 1 FROM judges_shown AS j WHERE j.unit = k.unit AND j.reviewer = k.reviewer)
GROUP BY k.reviewer, k.unit;

DROP VIEW decision_first;
CREATE VIEW decision_first AS
SELECT e.reviewer, e.pass, e.unit, e.axis, e.label, e.snapshot, e.block, e.mode, e.at_utc, e.payload, e.event_id
FROM event_live AS e
WHERE e.kind = 'decide' AND e.event_id = coalesce(
    (SELECT max(b.event_id)
     FROM (SELECT min(coalesce((SELECT min(j.event_id) FROM judges_shown AS j
                                WHERE j.unit = e.unit AND j.reviewer = e.reviewer), '~'),
                      coalesce((SELECT min(k.event_id) FROM judges_read AS k
                                WHERE k.unit = e.unit AND k.reviewer = e.reviewer), '~'),
                      coalesce((SELECT min(k.event_id) FROM units_read AS k
                                WHERE k.unit = e.unit AND k.reviewer = e.reviewer), '~')) AS event_id) AS seen
     CROSS JOIN event_live AS b
     WHERE b.unit = e.unit AND b.reviewer = e.reviewer AND b.pass = e.pass AND b.axis = e.axis AND b.kind = 'decide'
           AND b.event_id < seen.event_id),
    (SELECT min(a.event_id) FROM event_live AS a
     WHERE a.unit = e.unit AND a.reviewer = e.reviewer AND a.pass = e.pass AND a.axis = e.axis AND a.kind = 'decide'));

-- The pairs that are reviewed: those that judges are asked about, each once. One of a source without a readable text is
-- none; ordinal: its place among the response's citations.
CREATE VIEW reviewed_pair AS
SELECT p.statement_id, p.source_id, min(p.ordinal) AS ordinal
FROM judged_pair AS p JOIN source AS u USING (source_id)
JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot
WHERE n.readable
GROUP BY p.statement_id, p.source_id;

-- Edits of statements. What is none of the study any more: replaced or excluded by an edit that stands, or made by one
-- that does not. From the record of the response's edits, made anew with each (medreview.study.statement_making), since
-- which of two edits stands depends on all before them. Rows of statement stay.
CREATE TABLE retired_statement (
    statement_id TEXT PRIMARY KEY REFERENCES statement,
    how TEXT NOT NULL CHECK (how IN ('split', 'join', 'exclude', 'undone')),
    event_id TEXT NOT NULL               -- that edit; undone: the one that made it
) STRICT, WITHOUT ROWID;
CREATE INDEX event_edit ON event (json_extract(payload, '$.response'))
    WHERE kind IN ('promote', 'split', 'join', 'exclude');

-- Of what was cut or joined: the place in the response of what it was made from, where it is read. NULL: its own place.
ALTER TABLE statement ADD COLUMN in_place_of INTEGER;

-- The statements of the study. Whoever means these reads here; by its id a retired one can be read from statement. place:
-- where in its response a statement is read; those with the same one stand there by their start.
CREATE VIEW statement_standing AS
SELECT s.*, coalesce(s.in_place_of, s.ordinal) AS place FROM statement AS s
WHERE NOT EXISTS (SELECT 1 FROM retired_statement AS x WHERE x.statement_id = s.statement_id);

-- As before, of the statements of the study.
DROP VIEW statement_place;
CREATE VIEW statement_place AS
SELECT s.statement_id, s.response_id, json_extract(p.value, '$[0]') AS "start", json_extract(p.value, '$[1]') AS "end"
FROM statement_standing AS s,
     json_each(iif(s.parts = '[]', json_array(json_array(s."start", s."end")), s.parts)) AS p;

DROP VIEW audit_item;
CREATE VIEW audit_item AS
SELECT statement_id, number, stratum, rate AS inclusion_prob FROM audit_frame AS f
WHERE number < rate AND NOT EXISTS (SELECT 1 FROM retired_statement AS x WHERE x.statement_id = f.statement_id);

DROP VIEW judged_pair;
CREATE VIEW judged_pair AS
SELECT s.statement_id, c.source_id, c.ordinal
FROM statement_standing AS s JOIN citation AS c USING (response_id)
WHERE EXISTS (SELECT 1 FROM listed_pair AS l WHERE l.statement_id = s.statement_id AND l.source_id = c.source_id)
   OR NOT EXISTS (SELECT 1 FROM listed_pair AS l WHERE l.statement_id = s.statement_id);

-- Spans that stand, each with its newest ends.
DROP VIEW span_live;
CREATE VIEW span_live AS
SELECT e.seq, e.event_id, e.at_utc, e.reviewer, e.session, e.kind, e.unit, e.snapshot, e.pass, e.block, e.mode, e.axis,
       e.label, coalesce(
           (SELECT json_set(e.payload, '$.start', json_extract(m.payload, '$.start'), '$.end', json_extract(m.payload, '$.end'),
                            '$.exact', json_extract(m.payload, '$.exact'), '$.sha256', json_extract(m.payload, '$.sha256'))
            FROM event_live AS m
            WHERE m.unit = e.unit AND m.kind = 'span_move' AND json_extract(m.payload, '$.span') = e.event_id
            ORDER BY m.event_id DESC LIMIT 1), e.payload) AS payload
FROM event_live AS e
WHERE e.kind = 'span_add' AND NOT EXISTS (
    SELECT 1 FROM event_live AS d
    WHERE d.unit = e.unit AND d.kind = 'span_del' AND json_extract(d.payload, '$.span') = e.event_id);

-- What the judges say of a statement by all sources of its response together, rolled up as above: a verdict and the
-- two-way word; both NULL where none was asked, or none could tell.
ALTER TABLE verdict ADD COLUMN merged TEXT;
ALTER TABLE verdict ADD COLUMN merged_supported INTEGER;
CREATE INDEX merged_statement ON merged_judgement (statement_id);
CREATE INDEX statement_text ON statement (text_sha256); -- labels in files name statements by their text
-- Two reviewers. A reviewer's label on any axis that counts, and as what; reviewer_label has those on the main axes.
CREATE VIEW axis_label AS
SELECT reviewer, pass, unit, axis, mode,
       iif(mode = 'blind', first_label, current) AS label,
       iif(mode = 'blind', first_event, current_event) AS event_id,
       iif(mode = 'blind', first_block, current_block) AS block,
       current,
       mode = 'blind' AND current <> first_label AND coalesce(seen_from < current_event, 0) AS changed_after_reveal,
       current_event, first_label, first_event
FROM (SELECT c.reviewer, c.pass, c.unit, c.axis, c.label AS current, c.event_id AS current_event,
             c.block AS current_block,
             f.label AS first_label, f.event_id AS first_event, f.block AS first_block, s.event_id AS seen_from,
             iif(f.event_id IS NULL OR s.event_id <= f.event_id, 'assisted', 'blind') AS mode
      FROM decision_current AS c
      LEFT JOIN decision_first AS f USING (reviewer, pass, unit, axis)
      LEFT JOIN judges_seen AS s USING (reviewer, unit));
DROP VIEW reviewer_label;
CREATE VIEW reviewer_label AS
SELECT reviewer, pass, unit, axis, mode, label, event_id, block, current, changed_after_reveal FROM axis_label
WHERE axis = 'evidence'
      OR axis = (SELECT k.axis FROM unit_kind AS k WHERE k.kind = substr(unit, 1, instr(unit, ':') - 1));

-- Where two reviewers differ on the axis that a unit is decided on, or on the hallucination of a statement: how many have
-- a label there in the first pass, and how many labels there are; an edited fact differs by its words, too. Qualities of a
-- ranking's outputs are no matter of one right label.
CREATE VIEW conflict AS
SELECT unit, axis, count(*) AS reviewers, count(DISTINCT label) AS labels FROM decision_current
WHERE pass = 1
    AND NOT EXISTS (SELECT 1 FROM retired_statement AS x
                    WHERE x.statement_id = iif(unit GLOB 'pair:*', substr(unit, 6, instr(substr(unit, 6), ':') - 1), unit))
    AND (axis = 'evidence' OR (axis = 'hallucination' AND NOT instr(unit, ':'))
    OR axis = (SELECT k.axis FROM unit_kind AS k WHERE k.kind = substr(unit, 1, instr(unit, ':') - 1)))
GROUP BY unit, axis HAVING count(DISTINCT label || ' ' || coalesce(json_extract(payload, '$.text'), '')) > 1;

-- The newest word that settles such a difference. stands: each of the labels that it is about is still its reviewer's.
CREATE VIEW adjudicated AS
SELECT a.unit, a.axis, a.label, json_extract(a.payload, '$.by') AS adjudicated_by, a.reviewer, a.at_utc, a.event_id,
       NOT EXISTS (
           SELECT 1 FROM json_each(a.payload, '$.of') AS o
           WHERE NOT EXISTS (SELECT 1 FROM decision_current AS c
                             WHERE c.unit = a.unit AND c.axis = a.axis AND c.event_id = o.value)) AS stands
FROM (SELECT unit, axis, label, payload, reviewer, at_utc, max(event_id) AS event_id
      FROM event_live WHERE kind = 'adjudicate' GROUP BY unit, axis) AS a;
-- Answers as units: what judges found in a whole response, by the newest word of each judge (one that answered before one
-- that did not), alone and with an expert's remarks apart.
CREATE INDEX finding_response ON hallucination_finding (response_id);
CREATE VIEW finding_current AS
SELECT f.finding_id, f.response_id, f.assisted, f.assisted_by, f.found, f.type, f.spans, f.reason, f.error,
       o.judge, o.model, o.prompt_id, o.ordinal AS run
FROM hallucination_finding AS f JOIN judge_run AS o ON o.judge_run_id = f.judge_run_id
WHERE f.finding_id = (
    SELECT g.finding_id FROM hallucination_finding AS g JOIN judge_run AS p ON p.judge_run_id = g.judge_run_id
    WHERE g.response_id = f.response_id AND g.assisted = f.assisted AND p.judge = o.judge
    ORDER BY g.error = '' DESC, p.ordinal DESC LIMIT 1);

-- Where in the response they found it, a row for each place; span: its number in the finding, from 1. Only what judges
-- say by themselves.
CREATE VIEW finding_place AS
SELECT f.finding_id, f.response_id, f.judge, f.type, s.key + 1 AS span, json_extract(p.value, '$[0]') AS "start",
       json_extract(p.value, '$[1]') AS "end"
FROM finding_current AS f, json_each(f.spans) AS s, json_each(s.value, '$.spans') AS p
WHERE NOT f.assisted AND f.found;

-- The statements that stand where a judge found something.
CREATE VIEW finding_statement AS
SELECT DISTINCT p.statement_id, f.finding_id, f.span, f.type, f."start", f."end" FROM finding_place AS f JOIN statement_place AS p
ON p.response_id = f.response_id AND p."start" < f."end" AND f."start" < p."end";

-- What reviewers made of them: taken over as a span that stands, or rejected.
CREATE VIEW finding_handled AS
SELECT unit, reviewer, pass, json_extract(payload, '$.from_finding') AS finding_id,
       json_extract(payload, '$.from_span') AS span, 1 AS taken, event_id
FROM span_live WHERE json_extract(payload, '$.from_finding') IS NOT NULL
UNION ALL
SELECT unit, reviewer, pass, json_extract(payload, '$.finding'), json_extract(payload, '$.span'),
       json_extract(payload, '$.taken'), event_id
FROM event_live WHERE kind = 'finding';
-- Key facts of cases: suggested ones that were kept or edited, and those of a reviewer's own (the event fact_add).
ALTER TABLE key_fact ADD COLUMN suggestion TEXT NOT NULL DEFAULT ''; -- the unit that it was made of; '' = came as such

CREATE VIEW suggestion_act AS            -- what was said of suggestions and still stands
SELECT event_id, reviewer, unit, kind, axis, label, payload,
       (kind = 'adjudicate') || event_id AS rank, -- what settles a conflict counts before all others, else the newest
       CASE axis WHEN 'category' THEN label ELSE json_extract(payload, '$.category') END AS category,
       coalesce(trim(json_extract(payload, '$.text')), '') AS words
FROM event_live WHERE unit >= 'suggestion:' AND unit < 'suggestion;' AND axis IN ('suggestion', 'category')
      AND (kind IN ('decide', 'revise')
           OR (kind = 'adjudicate' AND event_id IN (SELECT event_id FROM adjudicated WHERE stands)));

CREATE VIEW suggestion_label AS          -- the one label of each that counts, whoever gave it
SELECT unit, reviewer, label, words, event_id, max(rank) AS rank
FROM suggestion_act WHERE axis = 'suggestion' GROUP BY unit;

CREATE VIEW suggestion_conflict AS       -- reviewers' labels, or the words they gave, differ, and nobody has settled it
SELECT d.unit FROM (SELECT unit, reviewer, label, words, max(rank) FROM suggestion_act
                    WHERE axis = 'suggestion' AND kind <> 'adjudicate' GROUP BY unit, reviewer) AS d
WHERE NOT EXISTS (SELECT 1 FROM adjudicated AS a WHERE a.unit = d.unit AND a.axis = 'suggestion' AND a.stands)
GROUP BY d.unit HAVING count(DISTINCT d.label || ' ' || d.words) > 1;

-- Every suggested or added fact of a case as it stands. state: open, kept, edited, discarded; one of a reviewer's own is
-- kept until somebody says otherwise, and gone when it was taken back. category: as last said, else as suggested.
CREATE VIEW case_fact AS
SELECT u.unit_id AS unit, c.case_id, c.ordinal AS case_ordinal, c.question_sha256, u.ordinal, u.model, u.own,
       coalesce(l.label, iif(u.own, 'kept', 'open')) AS state, u.text AS suggested,
       iif(l.label = 'edited' AND l.words <> '', l.words, u.text) AS text,
       coalesce(g.category, u.category) AS category, coalesce(l.reviewer, a.reviewer, '') AS reviewer,
       u.unit_id IN (SELECT unit FROM suggestion_conflict) AS conflict
FROM (SELECT unit_id, ordinal, model, belongs_to, text, json_extract(content, '$.category') AS category,
             coalesce(json_extract(content, '$.own'), 0) AS own FROM unit WHERE kind = 'suggestion') AS u
JOIN clinical_case AS c ON c.case_id = u.belongs_to
LEFT JOIN suggestion_label AS l ON l.unit = u.unit_id
LEFT JOIN (SELECT unit, category, max(rank) FROM suggestion_act WHERE category IS NOT NULL GROUP BY unit) AS g
          ON g.unit = u.unit_id
LEFT JOIN (SELECT unit, reviewer, min(event_id) FROM event_live WHERE kind = 'fact_add' GROUP BY unit) AS a
          ON a.unit = u.unit_id
WHERE NOT u.own OR a.unit IS NOT NULL;

-- The key facts that responses are held against: those that came as such, and those of suggestions as they stand.
CREATE VIEW key_fact_in_force AS
SELECT k.key_fact_id, k.question_sha256, k.ordinal, k.added_by, k.added_at, k.suggestion, k.text,
       coalesce(f.category, k.category) AS category
FROM key_fact AS k LEFT JOIN case_fact AS f ON f.unit = k.suggestion
WHERE k.suggestion = '' OR (k.question_sha256, k.text) IN
      (SELECT s.question_sha256, s.text FROM case_fact AS s WHERE s.state IN ('kept', 'edited'));

-- Of a copy for a colleague: the events that were left out of it. The record is verified by their hashes; decides: it is
-- what made the unit decided in the first pass, so that a second reviewer knows what is ready, and not how.
CREATE TABLE withheld (
    hash TEXT PRIMARY KEY,
    event_id TEXT NOT NULL UNIQUE,
    reviewer TEXT NOT NULL,
    unit TEXT NOT NULL,
    decides INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who has read figures or an export of the judges' opinion; a list of other reviewers' labels says nothing of it.
CREATE VIEW judges_look AS
SELECT reviewer, event_id FROM event WHERE kind = 'look' AND json_extract(payload, '$.shown') <> 'labels';

-- Finding. Whether a saved filter opens its queue blind.
ALTER TABLE saved_filter ADD COLUMN mode TEXT NOT NULL DEFAULT 'open' CHECK (mode IN ('open', 'blind'));
