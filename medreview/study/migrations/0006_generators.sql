-- What models generate: questions, answers, items, briefs. Every attempt is kept, and what came of each input.

CREATE TABLE generation_run (            -- one generator with one model, one set of prompts, parameters and options
    run_id TEXT PRIMARY KEY,             -- a hash of all that follows but the time
    ordinal INTEGER NOT NULL UNIQUE,
    generator TEXT NOT NULL,             -- questions, answers, ...
    model_name TEXT NOT NULL,            -- what the settings call it
    model TEXT NOT NULL,
    host TEXT NOT NULL,
    judge TEXT NOT NULL,                 -- the model that is asked to verify, as NAME: MODEL at HOST, or ''
    prompts TEXT NOT NULL CHECK (json_valid(prompts)), -- JSON {id: sha256, ...}
    params TEXT NOT NULL CHECK (json_valid(params)),
    options TEXT NOT NULL CHECK (json_valid(options)), -- the generator's own, a seed among them
    started_at TEXT NOT NULL
) STRICT;

CREATE TABLE generation_attempt (        -- an answer of the model; its text, tokens, cost and latency are in llm_call
    run_id TEXT NOT NULL REFERENCES generation_run,
    item_id TEXT NOT NULL,               -- what it was asked about
    stage TEXT NOT NULL,                 -- which of the generator's questions on it
    number INTEGER NOT NULL,             -- from 1; the next one replaces an invalid one
    cache_key TEXT NOT NULL,             -- of llm_call
    status TEXT NOT NULL CHECK (status IN ('ok', 'invalid', 'unparsable', 'truncated', 'refused')),
    codes TEXT NOT NULL CHECK (json_valid(codes)), -- why it is invalid, a JSON list of words
    at_utc TEXT NOT NULL,
    PRIMARY KEY (run_id, item_id, stage, number, cache_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE generation (                -- what came of an input; that of the highest round counts
    run_id TEXT NOT NULL REFERENCES generation_run,
    item_id TEXT NOT NULL,
    round INTEGER NOT NULL,              -- from 1; further ones are asked for
    name TEXT NOT NULL,                  -- of the input, for people
    code TEXT NOT NULL,                  -- why nothing was made; '' = something was
    report TEXT NOT NULL CHECK (json_valid(report)), -- what the generator's own report is made from
    finished_at TEXT NOT NULL,
    PRIMARY KEY (run_id, item_id, round)
) STRICT, WITHOUT ROWID;

CREATE TABLE generation_product (        -- what was made of it, also where the same was in the study already
    run_id TEXT NOT NULL REFERENCES generation_run,
    item_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('unit', 'response', 'passage', 'case')),
    made TEXT NOT NULL,                  -- its id
    PRIMARY KEY (run_id, item_id, kind, made)
) STRICT, WITHOUT ROWID;
CREATE INDEX generation_product_made ON generation_product (made);

CREATE TABLE generation_dropped (        -- parts of what a model wrote that a rule left out
    run_id TEXT NOT NULL REFERENCES generation_run,
    item_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    code TEXT NOT NULL,
    what TEXT NOT NULL,
    PRIMARY KEY (run_id, item_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE VIEW generation_current AS
SELECT run_id, item_id, name, code, report, finished_at, max(round) AS round FROM generation GROUP BY run_id, item_id;

-- Why a response cannot be reviewed statement by statement: it has no text, or its end is missing. It has no statements,
-- and counts among the responses of its model. '': it can.
ALTER TABLE response ADD COLUMN invalid TEXT NOT NULL DEFAULT '' CHECK (invalid IN ('', 'empty', 'incomplete'));
UPDATE response SET invalid = 'empty' WHERE trim(text, char(9, 10, 11, 12, 13, 32)) = '';

-- What rules and judges can split into statements.
CREATE VIEW response_to_split AS SELECT * FROM response WHERE parser IS NULL AND invalid = '';
-- Passages: the texts that were read for them, and what each of their paragraphs was measured by, kept or left out.
CREATE TABLE passage_run (
    passage_run_id TEXT PRIMARY KEY,     -- by the texts, all that is below, and how many there were before
    at_utc TEXT NOT NULL,
    entities TEXT NOT NULL,              -- what found the entities: our term lists, or a tagger by its command
    vectors TEXT NOT NULL,               -- what compared the sentences: TF-IDF, or a model at a host
    alike REAL NOT NULL,                 -- the cosine above which two sentences are of one cluster
    keep REAL,                           -- the share that was to be kept; NULL: the thresholds were given
    density REAL NOT NULL,               -- the thresholds: at least
    variance REAL NOT NULL,              -- at most
    entropy REAL NOT NULL                -- at most
) STRICT;

CREATE TABLE passage_feature (
    passage_run_id TEXT NOT NULL REFERENCES passage_run,
    source TEXT NOT NULL,                -- the file's name, a snapshot_id, or a passage_id
    text_sha256 TEXT NOT NULL,           -- of its text
    start_cp INTEGER NOT NULL,           -- where in it the paragraph stands
    end_cp INTEGER NOT NULL,
    passage_id TEXT NOT NULL,            -- by its own text; a row of passage where it was kept
    beginning TEXT NOT NULL,             -- its first words
    tokens INTEGER NOT NULL,
    sentences INTEGER NOT NULL,
    density REAL,                        -- entities per token; this and the next two NULL: not measured
    variance REAL,                       -- of the cosines of consecutive sentences
    entropy REAL,                        -- in nats, over clusters of sentences
    codes TEXT NOT NULL,                 -- the rules that left it out, one word after the other; '' = kept
    PRIMARY KEY (passage_run_id, text_sha256, start_cp)
) STRICT;
CREATE INDEX passage_feature_passage ON passage_feature (passage_id);

CREATE TABLE passage_measure (           -- what an embeddings endpoint was paid for: not asked again
    passage_id TEXT NOT NULL,
    vectors TEXT NOT NULL,
    alike REAL NOT NULL,
    variance REAL NOT NULL,
    entropy REAL NOT NULL,
    PRIMARY KEY (passage_id, vectors, alike)
) STRICT, WITHOUT ROWID;

-- Batches that were submitted to servers, a row per file of requests. Written before and after each step, so that whatever
-- ends the program, nothing is uploaded or paid twice.
CREATE TABLE batch_job (
    job_id TEXT PRIMARY KEY,             -- ours: in the name of the uploaded file and in the metadata of the batch
    ordinal INTEGER NOT NULL UNIQUE,
    run_id TEXT NOT NULL,                -- what asks: of judge_run, or of generation_run
    name TEXT NOT NULL,                  -- of the judge or model in the settings
    model TEXT NOT NULL,
    host TEXT NOT NULL,
    task TEXT NOT NULL,
    requests INTEGER NOT NULL,
    bytes INTEGER NOT NULL,              -- of the file of requests
    sha256 TEXT NOT NULL,                -- of that file
    cache_keys BLOB NOT NULL,            -- the questions in it: their cache keys, 32 bytes each
    state TEXT NOT NULL CHECK (state IN ('planned', 'uploading', 'uploaded', 'creating', 'created', 'ended', 'given_up')),
    file_id TEXT NOT NULL DEFAULT '',    -- as the server calls them; '' while it is not known
    batch_id TEXT NOT NULL DEFAULT '',
    output_file_id TEXT NOT NULL DEFAULT '',
    error_file_id TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT '',     -- of the batch, in the words of OpenAI's API; '' before it was created
    completed INTEGER,                   -- requests by the server's count; NULL when it gave none
    failed INTEGER,
    planned_at TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT '', -- when the server had taken the batch
    ended_at TEXT NOT NULL DEFAULT '',   -- when its results were taken in, or it was given up
    error TEXT NOT NULL DEFAULT ''       -- what went wrong last, a sentence
) STRICT;
