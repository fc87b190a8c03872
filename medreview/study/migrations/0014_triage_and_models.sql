-- Each section is what one part of the work on triage and on what models are asked needs.

-- Texts that hold what looks like an identifier, and that a person let go to a model outside; the unit is the study.
INSERT INTO event_kind VALUES ('sent_anyway');
