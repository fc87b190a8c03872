-- Each section is what one part of the work on studies by a team needs.

-- Lists of statements: is each in the answer, is each self-contained, is none missing?
INSERT INTO unit_kind VALUES ('statement_list', 'statement_list');  -- statement_list:RESPONSE_ID

-- Draws and batches: units that were drawn at random, and who is to review which of them.

INSERT INTO event_kind VALUES
    ('draw'),                            -- units of a kind, drawn at random; the unit is the study
    ('assign');                          -- the units of a draw are shared out to reviewers; the unit is the study
CREATE INDEX event_plan ON event (kind) WHERE kind IN ('draw', 'assign');

-- Of two draws with one name, as copies of a study may bring them, the earlier one counts.
CREATE VIEW draw_standing AS
SELECT json_extract(payload, '$.name') AS name, json_extract(payload, '$.kind') AS kind, payload, reviewer, at_utc,
       min(event_id) AS event_id
FROM event_live WHERE kind = 'draw' GROUP BY name;
CREATE VIEW drawn_unit AS
SELECT d.name, d.kind, u."key" AS place, u.value AS unit
FROM draw_standing AS d, json_each(d.payload, '$.units') AS u;

-- Who is to review what, by the newest word on each draw.
CREATE VIEW batch_standing AS
SELECT json_extract(payload, '$.draw') AS name, payload, reviewer, at_utc, max(event_id) AS event_id
FROM event_live WHERE kind = 'assign' GROUP BY name;
CREATE VIEW batch_unit AS
SELECT a.name, a.event_id, b."key" AS reviewer, u."key" AS place, u.value AS unit
FROM batch_standing AS a, json_each(a.payload, '$.batches') AS b, json_each(b.value) AS u;

-- Consent: the text that reviewers consent to before they decide, and that one of them did.

INSERT INTO event_kind VALUES
    ('consent'),                         -- another text, or none; the unit is the study
    ('consent_given');                   -- a reviewer consents to the text with this hash; the unit is the study

-- Rankings of models' answers.
INSERT INTO event_kind VALUES
    ('ranking_draw');                    -- rankings are made of QA items that a seed draws; the unit is the study

-- What a judge's answer says of a pair beside its label.
ALTER TABLE judgement ADD COLUMN quotes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(quotes));
    -- JSON [{quote, status, doubt, spans: [[start, end], ...], differences, opposes}, ...]: each of several quotes by
    -- itself; [] where there is one at most, of which the other columns say all
ALTER TABLE judgement ADD COLUMN opposes INTEGER CHECK (opposes IN (0, 1));
    -- whether the page says the opposite, by the judge; NULL when it was not asked
ALTER TABLE judgement ADD COLUMN missing TEXT NOT NULL DEFAULT '';
    -- the part of the statement that the page does not state, by the judge
ALTER TABLE judgement ADD COLUMN missing_at TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(missing_at));
    -- JSON [[start, end], ...] in the statement; [] where its words are not there

-- A graded score beside a judge's word, where its server gives log probabilities or it was asked several times.
ALTER TABLE judgement ADD COLUMN score REAL CHECK (score BETWEEN 0 AND 1);
    -- the probability that the judge says "supported"; NULL where nothing was measured
ALTER TABLE llm_call ADD COLUMN label_probabilities TEXT NOT NULL DEFAULT '' CHECK (
    label_probabilities = '' OR json_valid(label_probabilities));
    -- JSON {label: probability, ...} by the log probabilities of the answer's tokens; '' without any
