"""ClinicalTrials.gov: the register of trials (API v2, ``/studies``)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.references.model import IdentifierKind, Record, Reference
from medreview.references.services.service import (
    RESULTS,
    Found,
    any_of,
    author_of,
    authors_of,
    content_words,
    distinct,
    identifiers,
    matching,
    objects,
    quotable,
    text_of,
    title_of,
    years_of,
)
from medreview.sources.fetching.network import Fetched, Services, query_url
from medreview.sources.lookups.lookup_stage import json_object, mapping, no_answer

_FIELDS: Final = (
    "NCTId,BriefTitle,OfficialTitle,Acronym,OrgFullName,LeadSponsorName,OverallOfficialName,StudyFirstSubmitDate,"
    "StartDate,PrimaryCompletionDate,CompletionDate,LastUpdateSubmitDate,ResultsFirstSubmitDate"
)
_REGISTER: Final = "ClinicalTrials.gov"


class ClinicalTrials:
    """Trials by NCT number, and by title."""

    name = "clinical_trials"
    at_once: Mapping[IdentifierKind, int] = {"nct": 50}

    def __init__(self, services: Services) -> None:
        self.base = services.clinical_trials

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        """As :meth:`~medreview.references.services.service.Service.identifier_url`."""
        return self._studies({"filter.ids": ",".join(values), "pageSize": str(len(values))})

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        """As :meth:`~medreview.references.services.service.Service.read_identifiers`."""
        return matching(values, _records(fetched), kind)

    def citation(self, reference: Reference) -> str:
        """Any of the title's words, two at the least; or the one of an acronym."""
        words = [quotable(word) for word in content_words(reference.title)]
        return any_of(words) if len(words) > 1 or (reference.title.isupper() and words) else ""

    def citation_url(self, query: str) -> str:
        """As :meth:`~medreview.references.services.service.Service.citation_url`."""
        return self._studies({"query.titles": query, "pageSize": str(RESULTS)})

    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """As :meth:`~medreview.references.services.service.Service.read_citation`."""
        return tuple(_records(fetched))

    def _studies(self, parameters: Mapping[str, str]) -> str:
        return query_url(self.base, "studies", {**parameters, "fields": _FIELDS, "format": "json"})


def _records(fetched: Fetched) -> list[Record]:
    studies = json_object(fetched).get("studies")
    if not isinstance(studies, list):
        raise no_answer(fetched)
    found = (trial_record(mapping(study.get("protocolSection"))) for study in objects(studies))
    return [record for record in found if record is not None]


def trial_record(protocol: Mapping[str, Any]) -> Record | None:
    """The protocol of a trial as a record; ``None`` for one without a number.

    Its sponsor and its officials count as authors, and every date of it as a year that a reference may name.
    """
    module = mapping(protocol.get("identificationModule"))
    number = text_of(module.get("nctId")).upper()
    if not number:
        return None
    titles = distinct(title_of(module.get(name)) for name in ("briefTitle", "officialTitle", "acronym"))
    sponsor = mapping(mapping(protocol.get("sponsorCollaboratorsModule")).get("leadSponsor")).get("name")
    officials = objects(mapping(protocol.get("contactsLocationsModule")).get("overallOfficials"))
    organization = mapping(module.get("organization")).get("fullName")
    status = mapping(protocol.get("statusModule"))
    dates = [status.get(f"{name}Date") for name in ("studyFirstSubmit", "resultsFirstSubmit", "lastUpdateSubmit")]
    dates += [
        mapping(status.get(f"{name}DateStruct")).get("date") for name in ("start", "primaryCompletion", "completion")
    ]
    return Record(
        authority=ClinicalTrials.name,
        record_id=number,
        kind="trial",
        title=titles[0] if titles else "",
        other_titles=titles[1:],
        authors=authors_of(
            [
                author_of("", "", sponsor or organization),
                *(author_of("", "", "", text_of(one.get("name")).partition(",")[0]) for one in officials),
            ]
        ),
        complete=False,
        containers=(_REGISTER,),
        years=years_of(dates),
        publisher=text_of(organization),
        identifiers=identifiers(("nct", number)),
        url=f"https://clinicaltrials.gov/study/{number}",
    )
