-- A graded score beside a judge's word, where its server gives log probabilities or it was asked several times.
ALTER TABLE judgement ADD COLUMN score REAL CHECK (score BETWEEN 0 AND 1);
    -- the probability that the judge says "supported"; NULL where nothing was measured
ALTER TABLE llm_call ADD COLUMN label_probabilities TEXT NOT NULL DEFAULT '' CHECK (
    label_probabilities = '' OR json_valid(label_probabilities));
    -- JSON {label: probability, ...} by the log probabilities of the answer's tokens; '' without any
