"""Widgets that the screens share: they draw what they are given and know neither the study nor each other.

``painted`` the palette and styled text as one line; ``line_cache`` the lines as they were drawn last; ``lines`` a fixed
block of lines; ``line_list`` a list of any length; ``document`` a long text with highlights, ``document_page`` its
lines.
"""
