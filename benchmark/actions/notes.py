"""What researchers write about a rollout: another wording of a diagnosis, the failure mechanism. Every wording is kept."""

from django.db import transaction

from benchmark.models import Account, DiagnosisEdit, MechanismNote, Rollout


@transaction.atomic
def edit_diagnosis(*, rollout: Rollout, index: int, words: str, who: Account) -> DiagnosisEdit | None:
    """Word one step's diagnosis differently; empty words let the rule speak again. None when nothing changes."""
    Rollout.objects.select_for_update().only("pk").get(pk=rollout.pk)
    last = DiagnosisEdit.objects.filter(rollout=rollout, step_index=index).last()
    if words == (last.text if last else ""):
        return None
    return DiagnosisEdit.objects.create(rollout=rollout, step_index=index, text=words, who=who)


@transaction.atomic
def write_mechanism(*, rollout: Rollout, words: str, who: Account) -> MechanismNote | None:
    """Say why a rollout failed; empty words take the account back. None when nothing changes."""
    Rollout.objects.select_for_update().only("pk").get(pk=rollout.pk)
    last = MechanismNote.objects.filter(rollout=rollout).last()
    if words == (last.text if last else ""):
        return None
    return MechanismNote.objects.create(rollout=rollout, text=words, who=who)
