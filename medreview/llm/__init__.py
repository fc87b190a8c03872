"""Asking a model that is behind an OpenAI-compatible address, and never guessing what it did not say.

``settings`` is one configured judge, ``call`` a request and what became of it, ``client`` does the asking, ``ladder``
finds out what a server understands, ``breaker`` gives up on a dead one, ``parse`` reads answers, ``store`` keeps them,
``estimate`` counts beforehand and ``report`` afterwards. Only ``client`` loads the SDK, and only when it is used.
"""
