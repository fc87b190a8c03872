-- Each section is what one part of the work on triage and on what models are asked needs.

-- Texts that hold what looks like an identifier, and that a person let go to a model outside; the unit is the study.
INSERT INTO event_kind VALUES ('sent_anyway');

-- What a judge's answer by all sources together says beside its label, as of a single source.
ALTER TABLE merged_judgement ADD COLUMN quote_doubt TEXT;
    -- what speaks against its quotes as a proof, or against the whole answer; NULL where nobody has looked
ALTER TABLE merged_judgement ADD COLUMN opposes INTEGER CHECK (opposes IN (0, 1));
    -- whether a source says the opposite, by the judge; NULL when it was not asked
ALTER TABLE merged_judgement ADD COLUMN missing TEXT NOT NULL DEFAULT '';
    -- the part of the statement that no source states, by the judge
ALTER TABLE merged_judgement ADD COLUMN missing_at TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(missing_at));
    -- JSON [[start, end], ...] in the statement; [] where its words are not there

-- What of a reviewer's own labels is learned for the order of her open queues, and what it is learned from.

INSERT INTO event_kind VALUES
    ('triage_order');                    -- the order of a reviewer's open queues; the unit is the study

ALTER TABLE evidence ADD COLUMN signs TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(signs));
    -- JSON [number, ...] as medreview.evidence.pair_signs names them; [] where the rules did not look for them
ALTER TABLE evidence ADD COLUMN lacking TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(lacking));
    -- JSON [[start, end], ...] in the statement: names, numbers and list items that the page does not have
