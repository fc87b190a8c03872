"""The parts of evidence_training.py: cases, weights to try, the fits of ranking and triage, figures."""
