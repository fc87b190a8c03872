"""What a response says a cited work is, and what libraries and services know of that work.

A reference is found in a response and read into fields (``printed``), looked up (``library``, ``services``), and held
against the records that were found (``comparing``). Four things stay apart: the work as it is, the work described
wrongly, an identifier of another work, and a work that nobody asked knows.
"""
