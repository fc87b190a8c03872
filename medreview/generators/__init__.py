"""What models write to be reviewed: questions, answers, items, briefs. One machinery, a class for each generator."""
