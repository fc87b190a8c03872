"""What commands report to a person, each described once in a module named after its topic.

A report is a row of parts (``layout``). ``terminal`` draws them as text, ``page`` as one HTML file.
"""
