"""A workbench for a clinician who checks what a language model says about medicine.

The core: everything except the workbench itself (``medreview.screens``). It never imports Textual,
and only ``medreview.cli`` imports Rich. Data flows one way, in the order of the folders::

    exchange -> citations -> sources -> statements -> judges -> review -> stats -> exchange
    (read)      (extract)    (fetch)    (split)      (+ evidence)         (figures)  (write)

with ``study`` (the SQLite file) under all of them and ``pipeline`` the only module that knows the order.
"""

__version__ = "0.1.0"
