"""What the API says of imports, rollouts, steps and judgments, and what it takes for an import."""

from enum import StrEnum
from typing import Any

from rest_framework import serializers
from rest_framework.reverse import reverse

from benchmark.api.json_text import ForeignJsonField
from benchmark.api.strict import StrictSerializer, TrueOrFalse
from benchmark.core.taxonomy import Condition, End, Leaf, Locus, Position, State
from benchmark.models import ImportBatch, Judgment, Rollout, Step, Unit
from benchmark.report.steps import step_number


class ImportSerializer(serializers.ModelSerializer):
    """One file: what it is, how far it is, what became of its records."""

    who = serializers.CharField(source="who.username", allow_null=True, read_only=True, help_text="Who brought it.")
    findings = serializers.DictField(child=serializers.IntegerField(), help_text="Keys and personal data, by kind.")

    class Meta:
        model = ImportBatch
        fields = [
            *("id", "file_name", "size", "sha256", "format", "told_by", "status", "why"),
            *("read", "known", "skipped", "bytes_done", "findings", "masked"),
            *("model_name", "source", "licence", "who", "created", "finished"),
        ]
        read_only_fields = fields


class PlaceSerializer(serializers.Serializer):
    """Something said about one place in a file."""

    where = serializers.CharField()
    why = serializers.CharField()


class ImportReportSerializer(serializers.Serializer):
    """What became of records that were not simply read; the lists stop at 200 entries, the counts do not."""

    skipped = PlaceSerializer(many=True, required=False)
    warnings = PlaceSerializer(many=True, required=False)
    warning_count = serializers.IntegerField(required=False)
    without_model = serializers.IntegerField(required=False, help_text="Trajectories that do not say their model.")


class ImportDetailSerializer(ImportSerializer):
    """The same with the report."""

    report = ImportReportSerializer()

    class Meta(ImportSerializer.Meta):
        fields = [*ImportSerializer.Meta.fields, "report"]
        read_only_fields = fields


class UploadSerializer(serializers.Serializer):
    """One file of trajectories."""

    file = serializers.FileField()


class GoAheadSerializer(StrictSerializer):
    """What a person says of a scanned file; its page's form judges it."""

    source = serializers.CharField(  # type: ignore[assignment]  # a member of the body
        max_length=2000, help_text="Where the file comes from."
    )
    licence = serializers.CharField(max_length=200, default="unknown", help_text="An SPDX identifier, or words.")
    model_name = serializers.CharField(
        max_length=200, required=False, allow_blank=True, help_text="The model, where the file does not say."
    )
    mask = TrueOrFalse(default=True, help_text="Mask keys and personal data before anything is saved.")


class Word(serializers.ChoiceField):
    """One word of a closed vocabulary; null where the column is empty."""

    def __init__(self, words: type[StrEnum], **kwargs: Any) -> None:
        super().__init__(choices=[word.value for word in words], allow_null=True, read_only=True, **kwargs)

    def to_representation(self, value: str) -> Any:
        """The word as it is."""
        return value or None


class UnitSerializer(serializers.ModelSerializer):
    """The unit a rollout belongs to."""

    leaf, locus, position = Word(Leaf), Word(Locus), Word(Position)

    class Meta:
        model = Unit
        fields = ["id", "name", "workflow", "trace", "leaf", "locus", "position"]


class RolloutSerializer(serializers.ModelSerializer):
    """One rollout without its long texts."""

    import_id = serializers.IntegerField(source="batch_id", allow_null=True)
    model_id = serializers.IntegerField(allow_null=True)
    model = serializers.CharField(source="model.name", allow_null=True)
    model_kind = serializers.CharField(source="model.kind", allow_null=True)
    unit = UnitSerializer(allow_null=True)
    condition, end, state = Word(Condition), Word(End), Word(State)
    results = serializers.SerializerMethodField(help_text="Each judge's label that stands, by judge.")

    class Meta:
        model = Rollout
        fields = [
            *("id", "origin", "import_id", "record_id", "locator", "model_id", "model", "model_kind", "condition"),
            *("intervention", "epoch", "unit", "matched_group", "prefix_count", "step_count", "status", "end"),
            *(
                "noticed",
                "noticed_rule",
                "producer_refetch",
                "refetch_valid",
                "state",
                "excluded",
                "results",
                "created",
            ),
        ]
        read_only_fields = fields

    def get_results(self, rollout: Rollout) -> dict[str, str]:
        """From the view, which asks once for all rows."""
        return self.context["results"].get(rollout.pk, {})


class RolloutDetailSerializer(RolloutSerializer):
    """The whole of a rollout but for its steps."""

    inputs = ForeignJsonField()
    reference = ForeignJsonField()
    final_result = ForeignJsonField()
    usage = ForeignJsonField()
    labels = ForeignJsonField(help_text="All automatic labels as in `rite.rollout/1`.")
    extra = ForeignJsonField(help_text="Keys of the record that have no place of their own.")
    warnings = serializers.ListField(child=serializers.CharField())

    class Meta(RolloutSerializer.Meta):
        fields = [
            *RolloutSerializer.Meta.fields,
            *("task", "goal", "inputs", "reference", "final_answer", "final_result", "usage", "labels"),
            *("warnings", "extra"),
        ]
        read_only_fields = fields


class StepErrorSerializer(serializers.Serializer):
    """How a call failed, and the rule that told."""

    type = serializers.CharField(source="error_type")
    message = serializers.CharField(source="error_message")
    rule = serializers.CharField(source="error_rule")


class StepSerializer(serializers.ModelSerializer):
    """One step with the first 1,000 characters of its observation."""

    number = serializers.SerializerMethodField(help_text="P1… in the prefix, R1… in the continuation.")
    arguments = ForeignJsonField(help_text="null: a message, or arguments that could not be parsed.")
    error = serializers.SerializerMethodField()
    observation = serializers.SerializerMethodField(help_text="Where the whole observation is; null: there is none.")

    class Meta:
        model = Step
        fields = [
            *("index", "number", "kind", "actor", "thought", "text", "tool", "arguments", "head", "characters"),
            *("observation", "is_new", "error", "group", "call_id", "source", "match", "aliased", "started_at", "ms"),
        ]
        read_only_fields = fields

    def get_number(self, step: Step) -> str:
        """As pages call the step."""
        return step_number(step.index, self.context["rollout"].prefix_count)

    def get_error(self, step: Step) -> StepErrorSerializer(allow_null=True):  # type: ignore[valid-type]
        """None where the call did not fail."""
        return StepErrorSerializer(step).data if step.error_rule else None

    def get_observation(self, step: Any) -> str | None:
        """The address of the raw text."""
        if not step.observed:
            return None
        name = "benchmark-api:observation"
        return reverse(name, args=[step.rollout_id, step.index], request=self.context["request"])


class JudgmentSerializer(serializers.ModelSerializer):
    """One judge's label of the final answer."""

    class Meta:
        model = Judgment
        fields = ["id", "judge", "label", "rationale", "raw_reply", "created"]
        read_only_fields = fields
