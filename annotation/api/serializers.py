"""What the API says to annotators and of studies, and what it takes for a label, a draft, a review."""

from typing import Any

from rest_framework import serializers

from annotation.core.questions import QUESTIONS
from annotation.models import Review, Seat, Study
from benchmark.api.strict import StrictSerializer, TrueOrFalse

STAGES = ["blind", "later", "review", "set_aside"]
REVIEWS = ["open", "later", "reviewed", "set aside"]


class StudyQueueSerializer(serializers.Serializer):
    """One study as its annotator sees it."""

    study = serializers.CharField(source="name")
    status = serializers.ChoiceField(choices=Study.Status.choices)
    total = serializers.IntegerField(help_text="Items dealt to you.")
    done = serializers.IntegerField(help_text="Items you have locked.")
    left = serializers.IntegerField()
    to_review = serializers.IntegerField(help_text="Reviews that are open and unanswered.")
    waiting = serializers.IntegerField(help_text="Reviews that open later.")
    seconds_left = serializers.FloatField(allow_null=True, help_text="At your pace; null until three labels tell it.")
    next = serializers.CharField(source="next_id", allow_null=True, help_text="The item to go on with.")
    consent_due = serializers.BooleanField(help_text="Agree to the study's text first, in a browser.")
    sentence = serializers.CharField(help_text="Why there is nothing to go on with; empty where there is.")


class FinishedSerializer(serializers.Serializer):
    """One locked item."""

    id = serializers.CharField(source="public_id")
    study = serializers.CharField()
    task = serializers.CharField()
    result = serializers.BooleanField(allow_null=True)
    noticed = serializers.BooleanField(allow_null=True)
    review = serializers.ChoiceField(choices=REVIEWS)


class QueueSerializer(serializers.Serializer):
    """What is to do and what is done."""

    studies = StudyQueueSerializer(many=True)
    finished = FinishedSerializer(many=True, help_text="The last locked first, 50 at most.")
    older = serializers.CharField(allow_null=True, help_text="What to ask for as `before` to see older ones.")


class LongTextSerializer(serializers.Serializer):
    """A text of any length: `head`, then `rest`, then `left` more characters to be fetched as a text of their own."""

    head = serializers.CharField()
    rest = serializers.CharField()
    left = serializers.IntegerField()


class ShownStepSerializer(serializers.Serializer):
    """One step as the agent lived it."""

    number = serializers.CharField()
    kind = serializers.CharField()
    actor = serializers.CharField()
    thought = LongTextSerializer(allow_null=True)
    text = LongTextSerializer(allow_null=True)
    tool = serializers.CharField()
    arguments = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), help_text="Pairs of key and value."
    )
    arguments_json = serializers.CharField(allow_null=True)
    arguments_left = serializers.IntegerField(help_text="Characters to be fetched as `arguments-R1`.")
    observation = LongTextSerializer(allow_null=True)
    characters = serializers.IntegerField()
    is_new = serializers.BooleanField(help_text="Its content is in no earlier step.")
    error = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="Type and message.")


class EvidenceSerializer(serializers.Serializer):
    """One piece of reference evidence."""

    number = serializers.CharField()
    heading = serializers.CharField()
    value = LongTextSerializer()


class CaseSerializer(serializers.Serializer):
    """All that an annotator may read of a trajectory."""

    task = LongTextSerializer(allow_null=True)
    goal = LongTextSerializer(allow_null=True)
    inputs = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    inputs_whole = LongTextSerializer(allow_null=True)
    reference = EvidenceSerializer(many=True)
    prefix = ShownStepSerializer(many=True)
    continuation = ShownStepSerializer(many=True)
    answer = LongTextSerializer(allow_null=True)
    result = LongTextSerializer(allow_null=True)


class PointersSerializer(StrictSerializer):
    """Steps that show an answer, by question."""

    result = serializers.ListField(child=serializers.CharField(), required=False)
    noticed = serializers.ListField(child=serializers.CharField(), required=False)


class AnswersSerializer(StrictSerializer):
    """Answers to the study's questions; null: not answered, or not asked."""

    result = TrueOrFalse(allow_null=True, required=False, help_text=QUESTIONS["result"])
    noticed = TrueOrFalse(allow_null=True, required=False, help_text=QUESTIONS["noticed"])
    evidence = PointersSerializer(required=False, help_text="Steps that show it, such as R4.")


class SubmitSerializer(AnswersSerializer):
    """What is submitted: every question that the study asks has an answer."""

    seconds = serializers.FloatField(required=False, min_value=0, help_text="Active time in all, as you measured it.")


class DraftBodySerializer(SubmitSerializer):
    """What is filled in so far."""

    version = serializers.IntegerField(
        required=False, min_value=0, help_text="Of the draft that this one replaces; 0: there is none."
    )


class DraftSerializer(AnswersSerializer):
    """A draft as it is kept."""

    version = serializers.IntegerField()


class LockedSerializer(AnswersSerializer):
    """The locked answers of an item."""

    id = serializers.CharField()


class ReviewBodySerializer(StrictSerializer):
    """What the annotator says to each automatic label that the study has."""

    result = serializers.ChoiceField(choices=Review.Answer.choices, required=False)
    noticed = serializers.ChoiceField(choices=Review.Answer.choices, required=False)
    comment = serializers.CharField(required=False, allow_blank=True)
    version = serializers.IntegerField(
        required=False, min_value=0, help_text="Of the review that this one replaces; 0: there is none."
    )


class ReviewSerializer(serializers.Serializer):
    """A review as it stands; an answer is empty where there is none."""

    version = serializers.IntegerField()
    result = serializers.ChoiceField(choices=Review.Answer.choices, allow_blank=True)
    noticed = serializers.ChoiceField(choices=Review.Answer.choices, allow_blank=True)
    comment = serializers.CharField()


class AutomaticSerializer(serializers.Serializer):
    """One automatic label with its reasons."""

    label = serializers.BooleanField()  # type: ignore[assignment]  # a member of the body
    rationale = serializers.CharField()
    evidence = serializers.ListField(child=serializers.CharField())


class AutomaticLabelsSerializer(serializers.Serializer):
    """The automatic labels by question."""

    result = AutomaticSerializer(required=False)
    noticed = AutomaticSerializer(required=False)


class ProgressSerializer(serializers.Serializer):
    """Where an item stands among yours."""

    position = serializers.IntegerField()
    total = serializers.IntegerField()
    done = serializers.IntegerField()


class ItemSerializer(serializers.Serializer):
    """One item as it stands for its annotator."""

    id = serializers.CharField()
    study = serializers.CharField()
    stage = serializers.ChoiceField(choices=STAGES)
    refusal = serializers.CharField(help_text="Why nothing may be submitted now; empty where it may.")
    questions = serializers.DictField(child=serializers.CharField(), help_text="What the study asks, by name.")
    progress = ProgressSerializer()
    next = serializers.CharField(allow_null=True, help_text="The item after this one.")
    case = CaseSerializer()
    draft = DraftSerializer(required=False, help_text="In stage `blind`.")
    locked = AnswersSerializer(required=False, help_text="In every later stage.")
    automatic = AutomaticLabelsSerializer(required=False, help_text="In stage `review`.")
    review = ReviewSerializer(required=False, help_text="In stage `review`.")


class StudySerializer(serializers.ModelSerializer):
    """One study with how far it is."""

    owner = serializers.CharField(source="owner.username")
    questions = serializers.ListField(child=serializers.CharField())
    places = serializers.IntegerField(help_text="Labels there will be.")
    labels = serializers.IntegerField(help_text="Labels there are.")

    class Meta:
        model = Study
        fields = [
            *("id", "name", "status", "archived", "origin", "owner", "questions", "judge", "noticed_rule"),
            *("seats_planned", "labels_per_item", "seed", "review", "created", "started_at", "closed_at"),
            *("places", "labels"),
        ]
        read_only_fields = fields


class SeatSerializer(serializers.ModelSerializer):
    """One seat and what it has done; nobody's name."""

    total = serializers.IntegerField()
    done = serializers.IntegerField()
    void = serializers.IntegerField()
    reviewed = serializers.SerializerMethodField()
    seconds = serializers.FloatField(allow_null=True, help_text="A label, on average.")

    class Meta:
        model = Seat
        fields = ["name", "left_at", "total", "done", "void", "reviewed", "seconds"]
        read_only_fields = fields

    def get_reviewed(self, seat: Any) -> int:
        """Items it has reviewed."""
        return seat.reviewed or 0


class StudyDetailSerializer(StudySerializer):
    """The same with its design and its seats."""

    design = serializers.JSONField(help_text="As in a study file.")
    seats = SeatSerializer(many=True, source="seats_done")

    class Meta(StudySerializer.Meta):
        fields = [*StudySerializer.Meta.fields, "design", "seats"]
        read_only_fields = fields


def form_data(said: dict[str, Any]) -> dict[str, str]:
    """A checked body as the page's form would send it."""
    words = {True: "yes", False: "no", None: ""}
    pointers = said.get("evidence") or {}
    data = {name: words[said.get(name)] for name in QUESTIONS}
    data |= {f"{name}_evidence": " ".join(pointers.get(name, ())) for name in QUESTIONS}
    return data | {name: str(said[name]) for name in ("seconds", "version") if name in said}
