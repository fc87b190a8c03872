"""The kinds of steps: files are brought, pages and statements prepared, models asked, units reviewed.

Each looks at what the study has and does what is missing, by the same functions that the commands call.
"""
