"""OpenAI's Responses as other services have them."""

from tests.exchange.producers.conftest import Bring

NICE, BNF = "https://nice.example/ng28", "https://bnf.example/metformin"


def test_marks_name_what_a_search_of_the_agent_found_and_nothing_else_of_it_is_cited(bring: Bring) -> None:
    found = {
        "type": "search_results",
        "queries": ["metformin eGFR"],
        "results": [
            {"id": 1, "url": BNF, "title": "Metformin", "snippet": "Review the dose below 45."},
            {"id": 2, "url": NICE, "title": "NG28", "snippet": "Stop metformin below 30.", "date": "2022-06-29"},
        ],
    }
    part = {"type": "output_text", "text": "Stop metformin when the eGFR is below 30.[2]", "annotations": []}
    message = {"type": "message", "role": "assistant", "status": "completed", "content": [part]}
    brought = bring(
        {"id": "resp_1", "object": "response", "created_at": 1790374547, "model": "atlas", "output": [found, message]}
    )
    assert brought.answer.cited == [NICE]
    assert list(brought.answer.own.values()) == [{NICE}]
    assert brought.pages == {NICE: ("excerpt", "Stop metformin below 30.")}
