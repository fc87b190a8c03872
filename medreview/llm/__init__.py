"""Asking a model that is behind an OpenAI-compatible address, and never guessing what it did not say.

``settings`` is one configured judge, ``call`` a request and what became of it, ``client`` does the asking,
``response_format`` finds out what a server understands, ``server_errors`` names what went wrong, ``circuit_breaker``
gives up on a dead server, ``completion`` and ``parse`` read answers, ``store`` keeps them,
``estimate`` counts beforehand and ``report`` afterwards. Only ``client`` loads the SDK, and only when it is used.
"""
