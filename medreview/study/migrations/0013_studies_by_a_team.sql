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
