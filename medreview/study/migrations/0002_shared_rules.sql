-- Rules that several readers share, each as one view. Nothing that is stored changes.

-- What the text of a snapshot is good for. has_text: there is one. readable: it is the cited source or a part of it
-- (HOLDS_SOURCE in medreview.sources.reading.page_states; a test compares the two). valid: a valid URL as SourceCheckup
-- counts them, status 200 and text.
CREATE VIEW snapshot_content AS
SELECT snapshot_id, source_id, has_text, has_text AND page_state IN ('ok', 'paywall', 'thin') AS readable,
       has_text AND status IS 200 AS valid
FROM (SELECT snapshot_id, source_id, page_state, status,
             text_sha256 <> 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' AS has_text -- of ''
      FROM snapshot);

-- As before, with the rule for what can be read in its one place.
DROP VIEW snapshot_superseded;
CREATE VIEW snapshot_superseded AS
SELECT p.snapshot_id, p.source_id, u.current_snapshot
FROM source AS u JOIN snapshot AS p USING (source_id) JOIN snapshot AS c ON c.snapshot_id = u.current_snapshot
JOIN snapshot_content AS n ON n.snapshot_id = c.snapshot_id
WHERE p.snapshot_id <> c.snapshot_id AND p.text_sha256 <> c.text_sha256 AND n.readable;

DROP VIEW decision_stale;
CREATE VIEW decision_stale AS
SELECT event_id FROM event AS e
WHERE kind IN ('decide', 'revise') AND (
    EXISTS (SELECT 1 FROM snapshot_superseded AS o WHERE o.snapshot_id = e.snapshot)
    OR (NOT EXISTS (SELECT 1 FROM snapshot AS p WHERE p.snapshot_id = e.snapshot)
        AND (
            SELECT count(*) = count(p.snapshot_id) AND max(n.readable)
                   AND NOT max(p.text_sha256 = json_extract(e.payload, '$.snapshot_sha256'))
            FROM statement AS s JOIN citation AS c USING (response_id) JOIN source AS u USING (source_id)
            LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
            LEFT JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot
            WHERE s.statement_id = e.unit)));

-- From which event on a reviewer knew what the judges, the flags or the model's name say of a statement: it was revealed,
-- in sight in an open queue, or a decision says that it had been seen. In whatever pass, and also when the act was taken
-- back: it cannot be unseen.
CREATE VIEW judges_seen AS
SELECT reviewer, unit, min(event_id) AS event_id FROM event
WHERE kind = 'reveal' OR (mode = 'open' AND kind <> 'retract')
      OR (kind IN ('decide', 'revise') AND coalesce(json_extract(payload, '$.exposure.judge_verdict'), 'before') <> 'no')
GROUP BY reviewer, unit;

-- The evidence label of a reviewer on a statement that counts, and as what. blind: the first decision came before
-- anything of the judges was seen; it counts, whatever was changed after. assisted: all others, with the current label.
-- A blind queue alone makes no blind label: the judges may have been seen before.
CREATE VIEW reviewer_label AS
SELECT reviewer, pass, unit, mode,
       iif(mode = 'blind', first_label, current) AS label,
       iif(mode = 'blind', first_event, current_event) AS event_id,
       iif(mode = 'blind', first_block, current_block) AS block,
       current,
       mode = 'blind' AND current <> first_label AND coalesce(seen_from < current_event, 0) AS changed_after_reveal
FROM (SELECT c.reviewer, c.pass, c.unit, c.label AS current, c.event_id AS current_event, c.block AS current_block,
             f.label AS first_label, f.event_id AS first_event, f.block AS first_block, s.event_id AS seen_from,
             iif(f.event_id IS NULL OR s.event_id <= f.event_id, 'assisted', 'blind') AS mode
      FROM decision_current AS c
      LEFT JOIN decision_first AS f USING (reviewer, pass, unit, axis)
      LEFT JOIN judges_seen AS s USING (reviewer, unit)
      WHERE c.axis = 'evidence');

-- Spans that a reviewer marked and has not deleted.
CREATE VIEW span_live AS
SELECT * FROM event_live AS e
WHERE kind = 'span_add' AND NOT EXISTS (
    SELECT 1 FROM event_live AS d
    WHERE d.unit = e.unit AND d.kind = 'span_del' AND json_extract(d.payload, '$.span') = e.event_id);

-- Decisions that stand and differ from the judges' common verdict as it is now.
CREATE VIEW standing_differing AS
SELECT m.* FROM standing AS m JOIN verdict AS v ON v.statement_id = m.unit
WHERE m.state = 'decided' AND v.verdict IS NOT NULL AND m.label <> v.verdict;
