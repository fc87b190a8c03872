"""Widgets that the screens share: they draw what they are given and know neither the study nor each other.

``painted`` the palette, styled text as one line, and lines as they were drawn last; ``lines`` a fixed block of lines
and a list of any length; ``document`` a long text with highlights.
"""
