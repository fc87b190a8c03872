-- A study sets axes of its own, a plan of its audit and what a journal asks; reviewers put tags on units.

INSERT INTO event_kind VALUES
    ('axes'),                            -- the axes of the study's own are those of a text; the unit is the study
    ('tag'),                             -- a tag is put on a unit, or taken off
    ('audit_plan'),                      -- when the audit is to end; the unit is the study
    ('audit_assist'),                    -- half of the audit, by a coin, is labelled with the judges in sight
    ('declare');                         -- something that a journal asks is said of the study: ethics, funding

-- The tags that stand, by whom.
CREATE INDEX event_tag ON event (unit, reviewer) WHERE kind = 'tag';
CREATE VIEW tag_standing AS
SELECT reviewer, pass, unit, tag, at_utc, event_id
FROM (SELECT reviewer, pass, unit, json_extract(payload, '$.tag') AS tag, json_extract(payload, '$.on') AS "on", at_utc,
             max(event_id) AS event_id
      FROM event_live WHERE kind = 'tag' GROUP BY reviewer, pass, unit, tag)
WHERE "on";

-- As before, and on the axes of the study's own.
DROP VIEW compared_label;
CREATE VIEW compared_label AS
SELECT reviewer, pass, unit, axis, label, at_utc, event_id, payload FROM decision_current
WHERE axis = 'evidence' OR (axis = 'hallucination' AND NOT instr(unit, ':')) OR axis GLOB 'own.*'
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
