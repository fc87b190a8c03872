"""Words that are names of medicines by the ends that their international names have (the stems of WHO's INN)."""

import re
from functools import lru_cache
from typing import Final

_ENDS: Final = (
    "prilat?|sartan|[ao]lol|dipine|statin|[ck]onazole|cillin|cycline|[mt]ycin|micin|floxacin|oxacin|[cdfn][aeio]vir|ovir"
    "|[lmntuz][aiou]mab|[tfr][iy]?nib|gliptin|gliflozin|glutide|formin|glitazone|gli[bcm][a-z]+ide|xaban|gatran|[fp]arin"
    "|grel|thiazide|semide|nolactone|prazole|tidine|setron|triptan|coxib|profen|fenac|caine|curium|azepam|azolam|barbital"
    "|oxetine|traline|pramine|triptyline|[nl][xzt]?apine|[pr][ei]r?idone|[hm]azine|phylline|[mt]erol|[nt]as?one|[nl]olone"
    "|isone|onide|dronat?e|dronic|stigmine|tropium|n[ao]fil|zosin|lukast|mustine|platin|rubicin|taxel|tecan|trexate|purine"
    "|thyroxine|thyronine|adrenaline|epinephrine|dopamine|codeine|orphine|odone|fentanil|fentanyl|[pc]etamol|aspirin"
    "|insulin|digoxin|lithium|thoprim|oxazole|amivudine|ovudine|citabine|pentin|gabalin|trigine|azepine|valproate|racetam"
    "|furantoin|nidazole|purinol|lchicine|oroquine|pamil|aloxone|ethadone"
)
_MEDICINE: Final = re.compile(rf"[a-z]{{1,20}}?(?:{_ENDS})s?")


@lru_cache(maxsize=50_000)
def names_medicine(word: str) -> bool:
    """Whether a normalised word is a medicine's name by its end."""
    return len(word) > 5 and _MEDICINE.fullmatch(word) is not None
