"""The schema of ``stats --json`` that is published, and what it promises."""

import copy
import json

from tests.tools.stats_schema import PLACE, lost, made


def test_the_published_schema_is_that_of_the_program():
    published, now = json.loads(PLACE.read_text()), made()

    assert list(lost(published, now)) == [], "a field is gone: another number in figure_document.SCHEMA"
    assert list(lost(now, published)) == [], "python -m tests.tools.stats_schema"
    assert published["$id"] == now["$id"] == published["properties"]["schema"]["const"]


def test_a_field_that_is_renamed_or_has_another_type_is_named():
    published, renamed, retyped = json.loads(PLACE.read_text()), made(), made()
    fields = renamed["$defs"]["Estimate"]["properties"]
    fields["clustered"] = fields.pop("clusters")
    assert "/$defs/Estimate/properties/clusters" in list(lost(published, renamed))
    retyped["$defs"]["Estimate"]["properties"]["n"] = {"type": "string"}
    assert list(lost(published, retyped)) == ["/$defs/Estimate/properties/n/type"]


def test_what_comes_in_addition_is_no_loss():
    published, more = json.loads(PLACE.read_text()), made()
    more = copy.deepcopy(more)
    more["$defs"]["Estimate"]["properties"]["colour"] = {"type": "string"}
    more["$defs"]["Estimate"]["required"].append("colour")
    assert list(lost(published, more)) == []


def test_every_class_of_the_schema_is_described():
    for name, held in made()["$defs"].items():
        assert held.get("description") or held["type"] != "object", name
