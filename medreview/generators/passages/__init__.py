"""Passages for questions: a text's paragraphs, what each is measured by, those left out by rule (ClinIQLink 3.1)."""
