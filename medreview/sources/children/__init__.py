"""Every page is read in a child process, as ``medreview.children`` has them.

``reader`` and ``picture_reader`` ask; ``messages`` is what they and the children say.
"""
