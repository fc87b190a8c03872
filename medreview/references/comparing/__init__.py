"""A reference held against the records that were found for it: field by field, then one verdict."""
