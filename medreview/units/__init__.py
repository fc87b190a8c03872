"""What reviewers decide about: the kinds of unit, each one module that says what it is, asks and shows.

``kind`` (what every kind gives, and what the screens get of one unit), ``stored`` (units that came in a file),
``registry`` (every kind by name); then a module for each kind. Files of units: ``unit_format`` (also what their
records have in common), ``new_units`` (also what people said elsewhere). The statement, the first of the kinds, has its
own reading in :mod:`medreview.units.statement_view`.
"""
