-- What the record held at a time, signed with a person's SSH key (medreview.study.signed_seals); the unit is the study.
INSERT INTO event_kind VALUES ('seal');
