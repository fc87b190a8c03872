"""Reading files into a study (``imports``) and writing a study into files (``exports``).

What both must agree on, the columns and the manifest of an export, is in ``files``. Nothing is imported here, so that a
command loads only what it needs.
"""
