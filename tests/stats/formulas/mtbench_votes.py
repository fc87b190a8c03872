"""Votes of three people and two judges on 120 pairs of answers, of the authors' data to the alternative annotator test.

Dataset ``mtbench`` in the repository nitaytech/AltTest on GitHub (Calderon, Reichart & Dror 2025; the votes are of
MT-Bench, Zheng et al. 2023): ``question pair`` and two letters, the votes on both turns: ``a``, ``b`` or ``t`` (a tie).
The authors' notebook prints for these, at epsilon 0.2: winning rate 0.00 and advantage probability 0.72
(``gemini_flash``), 0.00 and 0.76 (``gemini_pro``).
"""

from typing import Final


def _votes(text: str) -> dict[str, str]:
    rows = (row.split() for row in " ".join(text.split()).split(", "))
    return {f"{pair}/{turn}": vote for pair, both in rows for turn, vote in enumerate(both, 1)}


PEOPLE: Final = {
    "author_0": _votes("""
        82gl ba, 85cg tt, 85gv tt, 86ag bb, 91gl aa, 91gv ta, 92cg ab, 92gv bb, 96ag bt, 97g4 bb, 99cg bt, 104gv ta,
        105gv tt, 106gv tt, 107cg tt, 114ag tt, 115ag bb, 115cg bb, 117g4 bb, 117gv aa, 118ag bt, 130gl aa, 131gl aa,
        133gv ta, 134ag tb, 137ag bb, 138ag bt, 138g4 tt, 140gl aa, 141gl aa, 149gl aa, 150gv bb, 156gv bb, 158ag tb,
        159ag bt, 159gv tb, 160gv ta
    """),
    "author_4": _votes("""
        82gl aa, 82gv ab, 84ag bb, 87g4 bt, 91gv ba, 91gl aa, 92cg aa, 92g4 ba, 93g4 bt, 95cg ab, 100cg bb, 100ag at,
        100gv tt, 103g4 bb, 103gv ta, 104gv aa, 104g4 ta, 105g4 tt, 105gv tt, 109cg tt, 109gv bt, 110cg ta, 112cg ta,
        114ag bb, 117g4 bb, 118ag bt, 118gl aa, 123g4 tb, 133gl aa, 133gv aa, 134ag tb, 135ag bb, 137ag bb, 138ag bb,
        138g4 aa, 138gl aa, 140gl aa, 149gl aa, 150gv ba, 155gv ba, 158ag bb, 160gv tt
    """),
    "expert_24": _votes("""
        82gv tt, 84ag tb, 85cg ta, 85gv aa, 86ag bb, 87g4 ta, 91gv ba, 92g4 ba, 92gv tb, 93g4 tb, 95cg ab, 96ag bb, 97g4
        bb, 99cg bt, 100ag ab, 100cg bb, 100gv aa, 103g4 bb, 103gv ta, 104g4 ta, 105g4 bb, 106gv tt, 107cg tt, 109cg tt,
        109gv bt, 110cg tt, 112cg tt, 115cg bb, 115ag bb, 117gv aa, 118gl at, 123g4 tt, 130gl aa, 131gl aa, 133gl aa,
        135ag bb, 138gl aa, 138g4 tb, 141gl aa, 150gv ab, 155gv ta, 156gv tb, 159ag bb, 159gv tt
    """),
}  # fmt: skip
JUDGES: Final = {
    "gemini_flash": _votes("""
        100ag bb, 100cg bb, 100gv bb, 103g4 bb, 103gv bb, 104g4 bb, 104gv aa, 105g4 aa, 105gv aa, 106gv bb, 107cg aa,
        109cg aa, 109gv bb, 110cg aa, 112cg tt, 114ag bb, 115ag bb, 115cg aa, 117g4 aa, 117gv aa, 118ag aa, 118gl aa,
        123g4 bb, 130gl aa, 131gl aa, 133gl aa, 133gv aa, 134ag bb, 135ag bb, 137ag bb, 138ag bb, 138g4 bb, 138gl aa,
        140gl aa, 141gl aa, 149gl aa, 150gv bb, 155gv aa, 156gv bb, 158ag bb, 159ag bb, 159gv bb, 160gv bb, 82gl ba,
        82gv bb, 84ag bb, 85cg bb, 85gv aa, 86ag bb, 87g4 bb, 91gl ab, 91gv bb, 92cg aa, 92g4 bb, 92gv ba, 93g4 bb, 95cg
        bb, 96ag bb, 97g4 bb, 99cg aa
    """),
    "gemini_pro": _votes("""
        100ag bb, 100cg bb, 100gv bb, 103g4 bb, 103gv bb, 104g4 aa, 104gv aa, 105g4 tt, 105gv aa, 106gv tt, 107cg aa,
        109cg bb, 109gv bb, 110cg aa, 112cg tt, 114ag bb, 115ag bb, 115cg aa, 117g4 aa, 117gv aa, 118ag ab, 118gl ba,
        123g4 tb, 130gl aa, 131gl aa, 133gl aa, 133gv aa, 134ag bb, 135ag bb, 137ag bb, 138ag bb, 138g4 aa, 138gl aa,
        140gl aa, 141gl aa, 149gl aa, 150gv bb, 155gv aa, 156gv aa, 158ag bb, 159ag bb, 159gv bb, 160gv bb, 82gl aa,
        82gv bb, 84ag bb, 85cg ab, 85gv bb, 86ag bb, 87g4 bb, 91gl aa, 91gv aa, 92cg aa, 92g4 aa, 92gv bb, 93g4 bb, 95cg
        bb, 96ag bb, 97g4 bb, 99cg aa
    """),
}  # fmt: skip
