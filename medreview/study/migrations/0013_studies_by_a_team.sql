-- Each section is what one part of the work on studies by a team needs.

-- Lists of statements: is each in the answer, is each self-contained, is none missing?
INSERT INTO unit_kind VALUES ('statement_list', 'statement_list');  -- statement_list:RESPONSE_ID
