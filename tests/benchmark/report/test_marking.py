"""Marked places: the slot's values, and the words that state an anomaly."""

from hypothesis import given
from hypothesis import strategies as st

from benchmark.report.marking import Marker, Span, pieces, signal_spans, slot_values


def marks(values: object, shown: str) -> list[tuple[str, str]]:
    return [(kind, words) for kind, words in pieces(shown, Marker(values=values).spans(shown)) if kind]  # type: ignore[arg-type]


def test_gold_and_injected_values_are_found_wherever_they_are_carried() -> None:
    values = slot_values(["Rice cookers"], ["Kettles"], ["category"])
    assert marks(values, '{"category":"Kettles"}') == [("injected", "Kettles")]
    assert marks(values, "It said Kettles, now Rice cookers.") == [("injected", "Kettles"), ("gold", "Rice cookers")]


def test_a_number_inside_a_longer_number_is_not_marked() -> None:
    values = slot_values([217], [4108], ["on_hand"])
    assert marks(values, "1217 2170 217") == [("gold", "217")]


def test_a_short_value_is_marked_only_alone_or_with_its_key() -> None:
    values = slot_values([2], [41], ["on_hand"])
    assert marks(values, '{"page":2,"on_hand":2}') == [("gold", '"on_hand":2')]
    assert marks(values, "2") == [("gold", "2")]
    assert marks(values, "page 2 of 41") == []


def test_members_that_gold_and_injected_share_are_not_marked() -> None:
    values = slot_values([{"city": "Foshan", "unit": "m/s"}], [{"city": "Fushun", "unit": "m/s"}], ["city"])
    assert marks(values, "Foshan Fushun m/s") == [("gold", "Foshan"), ("injected", "Fushun")]


def test_a_value_with_a_quote_is_found_in_prose_and_in_json() -> None:
    values = slot_values(['a "b" c'], ["other words"], ["title"])
    assert marks(values, 'the a "b" c') == [("gold", 'a "b" c')]
    assert marks(values, r'{"title":"a \"b\" c"}') == [("gold", r"a \"b\" c")]


def test_signal_words_stay_on_their_characters_when_signs_before_them_are_made_visible() -> None:
    source = "\u202e\x00 the count does not match"
    start = source.index("does")
    (span,) = signal_spans(source, [{"start": start, "end": len(source)}])
    assert "⟨U+202E⟩␀ the count does not match"[span.start : span.end] == "does not match"


@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda ends: Span(min(ends), max(ends), "signal"))),
)
def test_pieces_lose_no_character_whatever_is_marked(shown: str, spans: list[Span]) -> None:
    assert "".join(words for _, words in pieces(shown, Marker(fixed=tuple(spans)).spans(shown))) == shown
