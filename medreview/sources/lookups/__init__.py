"""Lookups about a URL: ``wayback`` (was it ever archived) and ``rdap`` (in which country is the domain registered),
both through ``lookup_stage``; ``reach`` checks whether the URL can be reached.
"""
