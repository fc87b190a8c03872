-- Studies by a team.

-- Rankings of models' answers.
INSERT INTO event_kind VALUES
    ('ranking_draw');                    -- rankings are made of QA items that a seed draws; the unit is the study
