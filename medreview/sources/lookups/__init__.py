"""Asking others about an address: ``wayback`` (was it ever archived), ``rdap`` (where is the domain registered), both
through ``lookup_stage``; ``reach`` asks whether there is something at all.
"""
