"""Requests to models behind an OpenAI-compatible chat completions endpoint; a missing answer is never guessed.

``settings`` is one configured judge, ``call`` a request, its answer and how structured output is negotiated,
``judge_client`` sends requests with retries and gives up on a dead server, ``server_errors`` classifies errors,
``completion`` reads answers, ``store`` caches them, ``costs`` counts tokens and cost before and after;
``embeddings_and_reranking`` asks for vectors and for scores of passages. Only ``transport`` loads the SDK, and only
when a judge is opened.
"""
