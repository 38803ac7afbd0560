"""Studies made by the product's own actions from imported rollouts."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.actions.starting import start
from annotation.actions.studies import create_study
from annotation.core.margins import Margins
from annotation.core.study_design import StudyDesign
from annotation.models import Assignment, BlindLabel, Study
from benchmark.models import Account, AgentModel, ImportBatch, Rollout

CONDITIONS = ("correct", "explicit", "implicit")


@pytest.fixture
def make_pool(make_rollout: Callable[..., Rollout]) -> Callable[..., ImportBatch]:
    """Rollouts of every model × condition, `each` of them, all eligible; gives their import."""

    def make(models: int = 2, each: int = 4) -> ImportBatch:
        for number in range(models):
            model = AgentModel.objects.get_or_create(name=f"model-{number}")[0]
            for condition in CONDITIONS:
                for _ in range(each):
                    rollout = make_rollout(model=model, condition=condition)
        return rollout.batch

    return make


@pytest.fixture
def make_draft(make_account: Callable[..., Account], make_pool: Callable[..., ImportBatch]) -> Callable[..., Study]:
    """A draft study: 12 of 24 rollouts, 3 annotators, 2 labels an item, unless said otherwise."""

    def make(*, batch: ImportBatch | None = None, owner: Account | None = None, **fields: Any) -> Study:
        batch = batch or make_pool()
        said: dict[str, Any] = {
            "name": "A designed study",
            "imports": (batch.pk,),
            "judge": "rule/1",
            "margins": Margins(condition=dict.fromkeys(CONDITIONS, 4)),
            "annotators": 3,
            "labels_per_item": 2,
        }
        design = StudyDesign(**{**said, **fields})
        owner = owner or make_account("researcher")
        return create_study(design=design, owner=owner, guidelines="Work alone.", consent="I agree.")

    return make


@pytest.fixture
def make_started(make_draft: Callable[..., Study]) -> Callable[..., Study]:
    """The same, started."""

    def make(**fields: Any) -> Study:
        study = make_draft(**fields)
        start(study=study, who=study.owner)
        study.refresh_from_db()
        return study

    return make


@pytest.fixture
def label_all() -> Callable[..., list[BlindLabel]]:
    """Lock a label at every unlabelled place of a study: `result` and `noticed` may depend on the place."""

    def label(
        study: Study,
        result: Callable[[Assignment], bool] = lambda place: True,
        noticed: Callable[[Assignment], bool] = lambda place: False,
    ) -> list[BlindLabel]:
        places = Assignment.objects.unlabelled().filter(item__study=study).select_related("item")
        return BlindLabel.objects.bulk_create(
            BlindLabel(
                assignment=place,
                result=result(place),
                noticed=noticed(place),
                first_shown=place.dealt_at,
                active_seconds=60,
            )
            for place in places
        )

    return label
