"""Briefs of clinical cases (MedAgentBrief): written from the notes of an admission in stages, or in one call."""
