-- Reviewers also differ on flags, and on labels of pairs that only say supported or not.

-- What reviewers say with the two flags that are labels of their own axis. Whoever decided a unit without the flag has
-- said that it needs none. mode: as of other labels; label: of a blind one the flag as it stood before the judges were seen.
CREATE INDEX event_flag ON event (unit, reviewer) WHERE kind = 'flag';
CREATE VIEW flag_act AS
SELECT reviewer, pass, unit, json_extract(payload, '$.flag') AS axis,
       iif(json_extract(payload, '$.on'), 'flagged', 'not_flagged') AS label, event_id, at_utc
FROM event_live WHERE kind = 'flag' AND json_extract(payload, '$.flag') IN ('dispute', 'feedback');

CREATE VIEW flag_label AS
SELECT w.reviewer, w.pass, w.unit, w.axis, w.mode,
       coalesce((SELECT a.label FROM flag_act AS a
                 WHERE a.unit = w.unit AND a.reviewer = w.reviewer AND a.pass = w.pass AND a.axis = w.axis
                       AND (w.mode = 'assisted' OR a.event_id < w.seen_from)
                 ORDER BY a.event_id DESC LIMIT 1), 'not_flagged') AS label,
       coalesce(c.label, 'not_flagged') AS current, coalesce(c.event_id, w.event_id) AS event_id,
       coalesce(c.at_utc, w.at_utc) AS at_utc,
       json_object('exposure', json_object('other_reviewer', w.knew)) AS payload
FROM (SELECT b.reviewer, b.pass, b.unit, x.value AS axis, b.event_id, b.at_utc, b.knew,
             coalesce(s.event_id, '~') AS seen_from, iif(s.event_id <= b.event_id, 'assisted', 'blind') AS mode
      FROM (SELECT reviewer, pass, unit, min(event_id) AS event_id, at_utc,
                   coalesce(json_extract(payload, '$.exposure.other_reviewer'), 'no') AS knew
            FROM event_live
            WHERE (kind = 'flag' AND json_extract(payload, '$.flag') IN ('dispute', 'feedback'))
                  OR (kind IN ('decide', 'revise') AND (axis = 'evidence' OR axis = (
                      SELECT k.axis FROM unit_kind AS k WHERE k.kind = substr(unit, 1, instr(unit, ':') - 1))))
            GROUP BY reviewer, pass, unit) AS b
      LEFT JOIN judges_seen AS s USING (reviewer, unit)
      CROSS JOIN json_each('["dispute", "feedback"]') AS x) AS w
LEFT JOIN (SELECT reviewer, pass, unit, axis, label, at_utc, max(event_id) AS event_id FROM flag_act
           GROUP BY reviewer, pass, unit, axis) AS c USING (reviewer, pass, unit, axis);

-- Labels on which reviewers are compared: on the axis that a unit is decided on, on the hallucination of a statement; on
-- supported or not, of a pair that somebody labelled so, whatever the others' scale; on the two flags, where one was set.
-- Qualities of a ranking's outputs are no matter of one right label.
CREATE VIEW compared_label AS
SELECT reviewer, pass, unit, axis, label, at_utc, event_id, payload FROM decision_current
WHERE axis = 'evidence' OR (axis = 'hallucination' AND NOT instr(unit, ':'))
      OR axis = (SELECT k.axis FROM unit_kind AS k WHERE k.kind = substr(unit, 1, instr(unit, ':') - 1))
UNION ALL
SELECT d.reviewer, d.pass, d.unit, 'support', iif(d.label = 'supported', 'supported', 'not_supported'), d.at_utc,
       d.event_id, d.payload
FROM decision_current AS d
WHERE d.unit IN (SELECT unit FROM event_live WHERE kind = 'decide' AND axis = 'support')
      AND ((d.axis = 'evidence' AND d.label <> 'cannot_judge')
           OR (d.axis = 'support' AND NOT EXISTS (
               SELECT 1 FROM decision_current AS o
               WHERE o.unit = d.unit AND o.reviewer = d.reviewer AND o.pass = d.pass AND o.axis = 'evidence'
                     AND o.label <> 'cannot_judge')))
UNION ALL
SELECT reviewer, pass, unit, axis, current, at_utc, event_id, payload FROM flag_label
WHERE unit IN (SELECT unit FROM flag_act);

-- As before, of all these labels.
DROP VIEW conflict;
CREATE VIEW conflict AS
SELECT unit, axis, count(*) AS reviewers, count(DISTINCT label) AS labels FROM compared_label
WHERE pass = 1
    AND NOT EXISTS (SELECT 1 FROM retired_statement AS x
                    WHERE x.statement_id = iif(unit GLOB 'pair:*', substr(unit, 6, instr(substr(unit, 6), ':') - 1), unit))
GROUP BY unit, axis HAVING count(DISTINCT label || ' ' || coalesce(json_extract(payload, '$.text'), '')) > 1;

DROP VIEW adjudicated;
CREATE VIEW adjudicated AS
SELECT a.unit, a.axis, a.label, json_extract(a.payload, '$.by') AS adjudicated_by, a.reviewer, a.at_utc, a.event_id,
       NOT EXISTS (
           SELECT 1 FROM json_each(a.payload, '$.of') AS o
           WHERE NOT EXISTS (SELECT 1 FROM decision_current AS c WHERE c.unit = a.unit AND c.event_id = o.value
                             AND (c.axis = a.axis OR a.axis = 'support'))
             AND NOT EXISTS (SELECT 1 FROM flag_label AS f
                             WHERE f.unit = a.unit AND f.axis = a.axis AND f.event_id = o.value)) AS stands
FROM (SELECT unit, axis, label, payload, reviewer, at_utc, max(event_id) AS event_id
      FROM event_live WHERE kind = 'adjudicate' GROUP BY unit, axis) AS a;
