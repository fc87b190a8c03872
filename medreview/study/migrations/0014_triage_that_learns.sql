-- What of a reviewer's own labels is learned for the order of her open queues, and what it is learned from.

INSERT INTO event_kind VALUES
    ('triage_order');                    -- the order of a reviewer's open queues; the unit is the study

ALTER TABLE evidence ADD COLUMN signs TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(signs));
    -- JSON [number, ...] as medreview.evidence.pair_signs names them; [] where the rules did not look for them
ALTER TABLE evidence ADD COLUMN lacking TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(lacking));
    -- JSON [[start, end], ...] in the statement: names, numbers and list items that the page does not have
