-- Consent: the text that reviewers consent to before they decide, and that one of them did.

INSERT INTO event_kind VALUES
    ('consent'),                         -- another text, or none; the unit is the study
    ('consent_given');                   -- a reviewer consents to the text with this hash; the unit is the study
