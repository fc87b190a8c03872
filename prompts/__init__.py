"""What judges are asked: one Markdown file per task, with its version, the schema of the answer and the text.

Read by ``medreview.judges.prompts``; shown by ``medreview judges prompts``.
"""
