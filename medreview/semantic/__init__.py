"""What models of meaning say of a statement and its passages: an optional hint for the order of the queue.

``similarity`` has the two protocols (an ``Encoder`` gives texts vectors, a ``Scorer`` reads a statement with its
passages), measures an encoder's scale, asks whichever model is given, and makes the triage score of the rules' score
and the similarities. ``minilm`` is the encoder that computes on this machine, ``configured`` has those behind an
address and the one of the settings.

Nothing here is loaded unless an encoder is configured. It changes the triage score and with it the order; never what is
lit, a label, or the status of a quote.
"""
