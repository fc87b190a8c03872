"""Judges of whether a source supports a statement, and the verdict over all their judgements.

``offline_stage`` judges a study by rules, without a model; ``import_judgements`` imports judgements made elsewhere;
``votes`` says which judgements count; ``rollup`` aggregates them to one verdict, by ``majority``; ``triage`` orders
statements for review; ``verdicts`` stores both for a whole study. ``fact_votes`` is the same for key facts.

Models: ``tasks`` defines the requests and the rows made of the answers, ``llm_stage`` runs a task with several judges,
``prompts`` loads the prompts. Sources are untrusted: ``prompt_texts`` delimits them in the prompt and splits texts
that are too long, ``injection`` detects prompt injection, ``quote_grounding`` accepts support only with a quote that is
in the source; ``judge_caveats`` says what a judge could not see. ``batch_out`` and ``batch_in`` are for batch inference
through files.
"""
