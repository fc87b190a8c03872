-- What the labels of a large study take to be read. Nothing is said otherwise than before.

-- Looks at figures are few, and looked for first: who never had one has seen no statement there.
DROP VIEW judges_read;
CREATE VIEW judges_read AS
SELECT e.reviewer, s.statement_id AS unit, e.event_id
FROM event AS e CROSS JOIN statement AS s CROSS JOIN response AS r USING (response_id)
WHERE e.kind = 'look' AND json_extract(e.payload, '$.shown') = 'verdicts' AND r.imported_at <= e.at_utc;

DROP VIEW units_read;
CREATE VIEW units_read AS
SELECT m.reviewer, m.unit, e.event_id
FROM event AS e CROSS JOIN event AS m ON e.reviewer = m.reviewer
WHERE instr(m.unit, ':') AND e.kind = 'look' AND json_extract(e.payload, '$.shown') = 'verdicts' AND e.at_utc >= coalesce(
    (SELECT u.imported_at FROM unit AS u WHERE u.unit_id = m.unit),
    (SELECT r.imported_at FROM response AS r WHERE r.response_id = substr(m.unit, instr(m.unit, ':') + 1, 17)),
    (SELECT r.imported_at FROM statement AS s JOIN response AS r USING (response_id)
     WHERE s.statement_id = substr(m.unit, instr(m.unit, ':') + 1, 17)),
    (SELECT f.found_at FROM reference AS f WHERE f.reference_id = substr(m.unit, instr(m.unit, ':') + 1, 17)));

-- Where a reviewer decided on a unit once, that decision is the first, whatever was seen. Only of several it is asked which
-- were made before anything was seen.
DROP VIEW decision_first;
CREATE VIEW decision_first AS
SELECT e.reviewer, e.pass, e.unit, e.axis, e.label, e.snapshot, e.block, e.mode, e.at_utc, e.payload, e.event_id
FROM event_live AS e
WHERE e.kind = 'decide' AND (
    NOT EXISTS (SELECT 1 FROM event AS o WHERE o.unit = e.unit AND o.reviewer = e.reviewer AND o.kind = 'decide'
                                               AND o.event_id <> e.event_id)
    OR e.event_id = coalesce(
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
         WHERE a.unit = e.unit AND a.reviewer = e.reviewer AND a.pass = e.pass AND a.axis = e.axis
               AND a.kind = 'decide')));

-- The rows of standing whose state is deferred. Few acts put a unit off: only of these units it is asked what came last.
CREATE INDEX event_defer ON event (reviewer, pass, unit) WHERE kind = 'defer';
CREATE VIEW put_off AS
SELECT d.reviewer, d.pass, d.unit
FROM (SELECT DISTINCT reviewer, pass, unit FROM event WHERE kind = 'defer') AS d
WHERE (SELECT m.kind FROM main_live AS m
       WHERE m.unit = d.unit AND m.reviewer = d.reviewer AND m.pass = d.pass
       ORDER BY m.event_id DESC LIMIT 1) = 'defer';
