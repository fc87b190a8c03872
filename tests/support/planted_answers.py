"""A question with its correct answer, and for each type an answer with a planted hallucination that is valid."""

from typing import Any

QUESTION = "Can I take ibuprofen in the last weeks of pregnancy?"
CORRECT = (
    "No. Ibuprofen and other NSAIDs should not be taken in the third trimester: they can close the baby's ductus "
    "arteriosus too early. Paracetamol is usually preferred."
)
FACT: dict[str, Any] = {
    "answer": "Yes. Ibuprofen is the safest painkiller in late pregnancy. Take up to 2,400 mg a day until birth.",
    "spans": ["Ibuprofen is the safest painkiller in late pregnancy"],
    "how": "NSAIDs are to be avoided in the third trimester.",
}
INPUT: dict[str, Any] = {
    "answer": "Lisinopril is stopped as soon as a woman knows that she expects a child; labetalol is given instead.",
    "spans": ["Lisinopril is stopped as soon as a woman knows that she expects a child"],
    "how": "Another medicine than the one asked about.",
}
CONTEXT: dict[str, Any] = {
    "answer": f"{CORRECT} After week 30 ibuprofen can be taken freely until delivery.",
    "spans": [
        "Ibuprofen and other NSAIDs should not be taken in the third trimester",
        "ibuprofen can be taken freely until delivery",
    ],
    "how": "The last sentence takes back the first.",
}
GOOD = {"fact": FACT, "input": INPUT, "context": CONTEXT}
