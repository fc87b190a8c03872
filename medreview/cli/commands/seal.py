"""The command ``seal``: the record of a study, signed with the reviewer's SSH key."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from typer import Option

from medreview.cli.options import Json, Reviewer, StudyFile, decider, open_study
from medreview.cli.output import counted, result
from medreview.next_step import command, shell


def seal(
    study: StudyFile,
    key: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Your private SSH key, or a public one whose private key your agent has. Default: the first of yours "
            "in ~/.ssh, else the only one in the agent.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Also write the signed text to FILE and the signature to FILE.sig, for whoever checks it with "
            "ssh-keygen alone.",
        ),
    ] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Sign what is decided with your SSH key.

    A later change of it shows. The seal is stored in the study and goes with every copy. `medreview check` verifies it:
    no event that was sealed is changed or missing, and how many came later. ssh-keygen signs, and asks for the key's
    passphrase.

    Example: medreview seal sepsis.medreview --out sepsis.seal
    """
    from medreview.atomic_output import atomic_outputs, check_own, write_new
    from medreview.study.signed_seals import NAMESPACE
    from medreview.study.signed_seals import seal as sign

    parts: dict[Path, bytes] = {}
    if out is not None:
        parts = {out: b"medreview seal ", out.with_name(f"{out.name}.sig"): b"-----BEGIN SSH SIGNATURE-----"}
        for file, begins in parts.items():
            check_own(file, begins)  # before anybody types a passphrase
    with open_study(study) as opened:
        made = sign(opened, decider(reviewer), key)
    lines = [f"sealed {counted(made.events, 'event')} with the key {made.key}", f"Verify it: {command('check', study)}"]
    if parts:
        with atomic_outputs() as outputs:
            for (file, begins), text in zip(parts.items(), (made.text, made.signature), strict=True):
                with outputs.file(file, begins) as place:
                    write_new(place, text)
        text_file, signature = parts
        verify = shell("ssh-keygen", "-Y", "verify", "-n", NAMESPACE, "-f", "ALLOWED_SIGNERS", "-I", "PRINCIPAL",
                       "-s", signature)  # fmt: skip
        lines.append(f"Or without medreview: {verify} < {shell(text_file)}")
    result(asdict(made) | {"files": [str(file) for file in parts]}, *lines, as_json=as_json)
