"""Requests to models behind an OpenAI-compatible chat completions endpoint; a missing answer is never guessed.

``settings`` is one configured judge, ``call`` a request and its answer, ``client`` sends requests with retries,
``response_format`` negotiates structured output, ``server_errors`` classifies errors, ``circuit_breaker`` gives up on a
dead server, ``bounded_json``, ``event_stream``, ``completion`` and ``parse`` read answers, ``store`` caches them,
``cost_estimate`` counts tokens and cost beforehand and ``report`` afterwards; ``embeddings`` asks for vectors and
``rerank`` for scores of passages, both by ``number_server``. Only ``transport`` loads the SDK, and only when a judge is
opened.
"""
