"""The first trajectories of a waiting file as case boxes, before anything is saved."""

from dataclasses import replace
from itertools import islice

from benchmark.core.formats.reading import Refused, open_records
from benchmark.core.labelling import diagnoses
from benchmark.core.trajectory import Rollout
from benchmark.models import ImportBatch
from benchmark.report.case import Case, case_of_record

SHOWN = 3


def first_cases(batch: ImportBatch) -> list[Case]:
    """Up to three case boxes from the file itself; empty when the file cannot be read after all."""
    try:
        with batch.opened() as stream:
            records = (record.rollout for record in open_records(stream, batch.file_name, batch.format))
            rollouts = list(islice((rollout for rollout in records if rollout), SHOWN))
    except (Refused, FileNotFoundError):
        return []
    return [_case(rollout, f"t{number}-") for number, rollout in enumerate(rollouts, start=1)]


def _case(rollout: Rollout, anchor: str) -> Case:
    labels, told = diagnoses.label_and_read(rollout)
    return replace(case_of_record(rollout, labels, told), anchor=anchor)
