-- Everything that happened before the review. Small columns first: a row's long texts then stay out of the
-- pages that a listing reads.

CREATE TABLE study (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE response (
    response_id TEXT PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    record_id TEXT NOT NULL,             -- the id in the file it came from, or ''
    model TEXT NOT NULL,
    origin TEXT NOT NULL,                -- where the question came from: a stratum
    imported_at TEXT NOT NULL,
    imported_from TEXT NOT NULL,
    cited INTEGER NOT NULL DEFAULT 0,    -- 1 once its citations were extracted
    parser TEXT,                         -- the statement parser and its version; NULL until parsed
    dropped INTEGER NOT NULL DEFAULT 0,  -- parts that are no statements: headings, disclaimers
    listed TEXT CHECK (listed IS NULL OR json_valid(listed)), -- citations given beside the text, a JSON list
    text_sha256 TEXT NOT NULL,
    question TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE INDEX response_record ON response (record_id);

CREATE TABLE source (
    source_id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,            -- canonical: url:https://..., doi:10..., pmid:...
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    url TEXT NOT NULL,                   -- its page on the web
    domain TEXT NOT NULL,
    current_snapshot TEXT REFERENCES snapshot -- what is judged and shown; NULL until it was fetched
) STRICT;

CREATE TABLE citation (
    response_id TEXT NOT NULL REFERENCES response,
    ordinal INTEGER NOT NULL,
    source_id TEXT NOT NULL REFERENCES source,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    "start" INTEGER,                     -- both NULL when it was listed beside the text
    "end" INTEGER,
    PRIMARY KEY (response_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX citation_source ON citation (source_id, response_id);

CREATE TABLE snapshot (
    snapshot_id TEXT PRIMARY KEY,
    source_id TEXT NOT NULL REFERENCES source,
    version INTEGER NOT NULL,            -- 1, 2, ... per source, in the order in which they first came
    fetched_at TEXT NOT NULL,
    page_state TEXT NOT NULL,
    state_evidence TEXT NOT NULL,        -- the rule and the words that gave the page state
    status INTEGER,
    content_type TEXT NOT NULL,
    final_url TEXT NOT NULL,
    chain TEXT NOT NULL,                 -- redirects, a JSON list of URLs
    title TEXT NOT NULL,
    extractor TEXT NOT NULL,             -- name and version of what made the text
    outline TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(outline)), -- JSON [[start, end, level], ...]: headings in the text
    page_starts TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(page_starts)), -- JSON: where the pages of a PDF begin
    raw_size INTEGER NOT NULL,           -- bytes of the body as served
    raw_sha256 TEXT NOT NULL,
    text_sha256 TEXT NOT NULL,
    text TEXT NOT NULL,                  -- what is judged, shown and marked
    full_text TEXT NOT NULL,             -- the whole page, '' when it is the same
    body BLOB NOT NULL,                  -- zlib-compressed
    instructions TEXT,                   -- words of the text that speak to a judge; '' = none, NULL = not looked at yet
    UNIQUE (source_id, version)
) STRICT;

-- The newest that holds the source: a visit that ends at an error page does not take the place of a page that was read.
CREATE VIEW snapshot_current AS
SELECT p.* FROM source AS u JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
     AND p.source_id = u.source_id; -- says nothing new, but leads from one source to its row and not over all of them

-- Another text of the source has taken their place: labels and judgements on them are stale. One error page after
-- another, or a proof of being human with another number on it, is no such text.
CREATE VIEW snapshot_superseded AS
SELECT p.snapshot_id, p.source_id, u.current_snapshot
FROM source AS u JOIN snapshot AS p USING (source_id) JOIN snapshot AS c ON c.snapshot_id = u.current_snapshot
WHERE p.snapshot_id <> c.snapshot_id AND p.text_sha256 <> c.text_sha256
      AND c.page_state IN ('ok', 'paywall', 'thin')
      AND c.text_sha256 <> 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'; -- of ''

-- Only what was looked for in it later may be added.
CREATE TRIGGER snapshot_is_never_updated BEFORE UPDATE OF snapshot_id, source_id, version, fetched_at, page_state, status,
    final_url, extractor, outline, page_starts, raw_sha256, text_sha256, text, full_text, body ON snapshot
BEGIN SELECT raise(ABORT, 'snapshots are never changed'); END;
CREATE TRIGGER snapshot_is_never_deleted BEFORE DELETE ON snapshot
BEGIN SELECT raise(ABORT, 'snapshots are never deleted'); END;

CREATE TABLE visit (                     -- every time a source was asked for, and what came
    visit_id INTEGER PRIMARY KEY,
    source_id TEXT NOT NULL REFERENCES source,
    at_utc TEXT NOT NULL,
    snapshot_id TEXT NOT NULL REFERENCES snapshot,
    outcome TEXT NOT NULL CHECK (outcome IN ('new', 'same', 'not_modified')), -- same: no other text than was here
    raw_sha256 TEXT NOT NULL,            -- of the body that came; '' when the server said that nothing has changed
    etag TEXT NOT NULL,                  -- what the server wants to be told to say so
    last_modified TEXT NOT NULL
) STRICT;
CREATE INDEX visit_source ON visit (source_id, visit_id);

CREATE TABLE lookup (                    -- what services said of an address or a domain, so that nobody is asked twice
    kind TEXT NOT NULL CHECK (kind IN ('archive', 'registry')),
    key TEXT NOT NULL,
    at_utc TEXT NOT NULL,
    answer TEXT NOT NULL CHECK (json_valid(answer)),
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE statement (
    statement_id TEXT PRIMARY KEY,
    response_id TEXT NOT NULL REFERENCES response,
    ordinal INTEGER NOT NULL,
    "start" INTEGER,                     -- in the response; both NULL when paraphrased
    "end" INTEGER,
    text_sha256 TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (response_id, ordinal)
) STRICT;

CREATE TABLE evidence (                  -- what the lexical engine found for one statement in one snapshot
    statement_id TEXT NOT NULL REFERENCES statement,
    snapshot_id TEXT NOT NULL REFERENCES snapshot,
    engine TEXT NOT NULL,
    unsupported REAL NOT NULL,           -- 0..1, higher = look sooner
    highlights TEXT NOT NULL,            -- JSON [[start, end], ...] in the snapshot's text, best first
    lexical TEXT NOT NULL,               -- JSON [[start, end], ...]: the neutral matches of blind mode
    clashes TEXT NOT NULL,               -- JSON [{kind, statement: [start, end], source: [start, end]}, ...]
    PRIMARY KEY (statement_id, snapshot_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE judge_run (
    judge_run_id TEXT PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    judge TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('offline', 'recorded', 'llm')),
    model TEXT NOT NULL,
    prompt_id TEXT NOT NULL,
    prompt_sha256 TEXT NOT NULL,         -- '' when the prompt is not known here
    params TEXT NOT NULL CHECK (json_valid(params)),
    seed INTEGER,
    started_at TEXT NOT NULL
) STRICT;

CREATE TABLE judgement (
    judgement_id TEXT PRIMARY KEY,
    judge_run_id TEXT NOT NULL REFERENCES judge_run,
    statement_id TEXT NOT NULL REFERENCES statement,
    snapshot_id TEXT NOT NULL REFERENCES snapshot,
    raw_label TEXT NOT NULL,             -- the judge's own word, always kept
    verdict TEXT,                        -- a level of the evidence axis; NULL when the raw label maps to none
    supported INTEGER,                   -- 1, 0; NULL when the judge could not tell
    confidence REAL,
    quote_status TEXT NOT NULL,
    quote_start INTEGER,
    quote_end INTEGER,
    quote_more TEXT NOT NULL DEFAULT '[]', -- JSON [[start, end], ...]: where else it is: parts joined by ellipses, repeats
    differences TEXT NOT NULL,           -- JSON [{quote: [start, end], source: [start, end]}, ...] of an altered quote
    quote TEXT NOT NULL,
    reason TEXT NOT NULL,
    raw_output TEXT NOT NULL,
    error TEXT NOT NULL,
    UNIQUE (judge_run_id, statement_id, snapshot_id)
) STRICT;
CREATE INDEX judgement_statement ON judgement (statement_id);

CREATE TABLE llm_call (                  -- every answer of a model; 'ok' ones are not asked for again
    cache_key TEXT PRIMARY KEY,          -- hash of address, model, parameters, prompt, schema and messages
    judge TEXT NOT NULL,
    model TEXT NOT NULL,
    host TEXT NOT NULL,
    task TEXT NOT NULL,
    prompt_sha256 TEXT NOT NULL,
    at_utc TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'unparsable', 'truncated', 'refused', 'timeout', 'error', 'skipped')),
    rung TEXT NOT NULL,                  -- json_schema, json_object, plain, or '' when nothing was sent
    tries INTEGER NOT NULL,              -- HTTP requests, retries and repair turns included
    reused INTEGER NOT NULL DEFAULT 0,   -- how often it was taken from here instead of being asked again
    prompt_tokens INTEGER,               -- as the server counted, over all tries; NULL when it did not say
    completion_tokens INTEGER,
    latency_ms INTEGER NOT NULL,
    cost REAL,                           -- NULL without prices or counts
    error TEXT NOT NULL,
    raw_output TEXT NOT NULL
) STRICT;
CREATE INDEX llm_call_judge ON llm_call (judge, status);

CREATE TABLE merged_judgement (          -- a statement against all sources of its response together
    merged_judgement_id TEXT PRIMARY KEY,
    judge_run_id TEXT NOT NULL REFERENCES judge_run,
    statement_id TEXT NOT NULL REFERENCES statement,
    snapshots TEXT NOT NULL CHECK (json_valid(snapshots)), -- ids of what it was judged by, a JSON list
    raw_label TEXT NOT NULL,
    verdict TEXT,
    supported INTEGER,
    confidence REAL,
    quotes TEXT NOT NULL CHECK (json_valid(quotes)), -- JSON [{quote, status, snapshot, spans: [[start, end], ...]}, ...]
    reason TEXT NOT NULL,
    raw_output TEXT NOT NULL,
    error TEXT NOT NULL,
    UNIQUE (judge_run_id, statement_id)
) STRICT;

CREATE TABLE hallucination_finding (     -- what a judge found in a whole response
    finding_id TEXT PRIMARY KEY,
    judge_run_id TEXT NOT NULL REFERENCES judge_run,
    response_id TEXT NOT NULL REFERENCES response,
    assisted INTEGER NOT NULL,           -- 1: it was shown an expert's reason; never counted for or against a judge
    assisted_by TEXT NOT NULL CHECK (json_valid(assisted_by)), -- ids of the events that were shown, a JSON list
    found INTEGER,                       -- 1, 0; NULL when the judge abstained
    type TEXT,                           -- a level of the hallucination axis; NULL when the judge abstained
    spans TEXT NOT NULL CHECK (json_valid(spans)), -- JSON [{quote, status, spans: [[start, end], ...]}, ...], in the response
    reason TEXT NOT NULL,
    raw_output TEXT NOT NULL,
    error TEXT NOT NULL,
    UNIQUE (judge_run_id, response_id)
) STRICT;

CREATE TABLE key_fact (                  -- what a good response to a question must say (MedFactEval)
    key_fact_id TEXT PRIMARY KEY,
    question_sha256 TEXT NOT NULL,       -- of the question: every response to it is held against the fact
    ordinal INTEGER NOT NULL,
    category TEXT NOT NULL CHECK (category IN ('diagnosis', 'management', 'follow_up', 'other')),
    added_by TEXT NOT NULL,
    added_at TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (question_sha256, ordinal)
) STRICT;

CREATE TABLE key_fact_vote (             -- one judge on one fact in one response
    key_fact_vote_id TEXT PRIMARY KEY,
    judge_run_id TEXT NOT NULL REFERENCES judge_run,
    key_fact_id TEXT NOT NULL REFERENCES key_fact,
    response_id TEXT NOT NULL REFERENCES response,
    task TEXT NOT NULL CHECK (task IN ('key_fact_presence', 'key_fact_contradiction')),
    raw_answer TEXT NOT NULL,            -- the judge's own word
    answer INTEGER,                      -- 1: present, contradicted; 0: not; NULL when the judge abstained
    quote_status TEXT NOT NULL,
    quote_start INTEGER,                 -- in the response
    quote_end INTEGER,
    quote TEXT NOT NULL,
    reason TEXT NOT NULL,
    raw_output TEXT NOT NULL,
    error TEXT NOT NULL,
    UNIQUE (judge_run_id, key_fact_id, response_id)
) STRICT;

CREATE TABLE verdict (                   -- the judges' word on a statement, rolled up over sources and jury
    statement_id TEXT PRIMARY KEY REFERENCES statement,
    verdict TEXT,                        -- NULL when there is none, or a tie that the study's tie rule leaves open
    supported INTEGER,
    conflict INTEGER NOT NULL,           -- 1: one source supports, another contradicts
    votes_for INTEGER NOT NULL,          -- judges whose verdict is the one above
    votes_other INTEGER NOT NULL,
    abstained INTEGER NOT NULL DEFAULT 0, -- judges that were asked and gave no verdict
    tied INTEGER NOT NULL DEFAULT 0,     -- 1: the votes were even, whatever the tie rule made of it
    judgement_id TEXT REFERENCES judgement, -- the judgement to show first
    snapshot_id TEXT REFERENCES snapshot,   -- the source to open first
    priority INTEGER NOT NULL,           -- 0 = not flagged; higher = look sooner
    badges TEXT NOT NULL                 -- why it is flagged, '' or words joined by ' · '
) STRICT;
CREATE INDEX verdict_priority ON verdict (priority DESC, statement_id) WHERE priority > 0;

CREATE TABLE audit_item (                -- a seeded random draw, in the order to review it
    position INTEGER PRIMARY KEY,
    statement_id TEXT NOT NULL UNIQUE REFERENCES statement,
    seed INTEGER NOT NULL,
    stratum TEXT NOT NULL,
    inclusion_prob REAL NOT NULL
) STRICT;

CREATE TABLE bookmark (                  -- where a reviewer was in a queue; the only thing here that is overwritten
    reviewer TEXT NOT NULL,
    block TEXT NOT NULL,
    mode TEXT NOT NULL,
    filter TEXT NOT NULL,
    unit TEXT NOT NULL,
    at_utc TEXT NOT NULL,
    PRIMARY KEY (reviewer, block)
) STRICT, WITHOUT ROWID;

-- Where a human spoke. Only ever appended to.

CREATE TABLE event (
    seq INTEGER PRIMARY KEY,             -- the order in which this file learnt of it
    event_id TEXT NOT NULL UNIQUE,       -- a ULID; its order is the order in time
    at_utc TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    session TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('shown', 'decide', 'revise', 'retract', 'reveal', 'reason', 'defer', 'flag',
                                       'note', 'span_add', 'span_del')),
    unit TEXT NOT NULL,                  -- a statement_id
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
CREATE INDEX event_unit ON event (unit, reviewer);
CREATE INDEX event_undoes ON event (undoes_event) WHERE undoes_event IS NOT NULL;
CREATE INDEX event_session ON event (session, event_id);

CREATE TRIGGER event_is_never_updated BEFORE UPDATE ON event
BEGIN SELECT raise(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN SELECT raise(ABORT, 'events are never deleted'); END;

-- A retract may itself be retracted (redo), once: undoing again makes a new retract of the first event.
CREATE VIEW event_live AS
SELECT * FROM event AS e
WHERE kind <> 'retract' AND NOT EXISTS (
    SELECT 1 FROM event AS r WHERE r.undoes_event = e.event_id
    AND NOT EXISTS (SELECT 1 FROM event AS again WHERE again.undoes_event = r.event_id));

-- One row per (reviewer, pass, unit, axis). SQLite takes the other columns from the row of the min or max.
CREATE VIEW decision_first AS
SELECT reviewer, pass, unit, axis, label, snapshot, block, mode, at_utc, payload, min(event_id) AS event_id
FROM event_live WHERE kind = 'decide' GROUP BY reviewer, pass, unit, axis;

CREATE VIEW decision_current AS
SELECT reviewer, pass, unit, axis, label, snapshot, block, mode, at_utc, payload, max(event_id) AS event_id
FROM event_live WHERE kind IN ('decide', 'revise') GROUP BY reviewer, pass, unit, axis;

-- Decisions on another text than the one that is here now. One whose snapshot is not here was made before any page
-- was (no snapshot), or in a copy of the study with another one (its text is named in the payload): such a one is stale
-- once all sources of the response were asked for, something of them can be read, and none has the text it was made on.
CREATE VIEW decision_stale AS
SELECT event_id FROM event AS e
WHERE kind IN ('decide', 'revise') AND (
    EXISTS (SELECT 1 FROM snapshot_superseded AS o WHERE o.snapshot_id = e.snapshot)
    OR (NOT EXISTS (SELECT 1 FROM snapshot AS p WHERE p.snapshot_id = e.snapshot)
        AND (
            SELECT count(*) = count(p.snapshot_id)
                   AND max(p.page_state IN ('ok', 'paywall', 'thin')
                           AND p.text_sha256 <> 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
                   AND NOT max(p.text_sha256 = json_extract(e.payload, '$.snapshot_sha256'))
            FROM statement AS s JOIN citation AS c USING (response_id) JOIN source AS u USING (source_id)
            LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
            WHERE s.statement_id = e.unit)));

-- Where a statement stands for a reviewer: the last of decision and defer.
CREATE VIEW standing AS
SELECT reviewer, pass, unit, CASE kind WHEN 'defer' THEN 'deferred' ELSE 'decided' END AS state, label, snapshot,
       max(event_id) AS event_id
FROM event_live WHERE (kind IN ('decide', 'revise') AND axis = 'evidence') OR kind = 'defer'
GROUP BY reviewer, pass, unit;
