"""Key facts of cases in texts of systems (MedFactEval): what judges and people say of them, scores, themes, cost."""
