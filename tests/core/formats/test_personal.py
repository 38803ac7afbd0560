"""Keys and personal data are found in every text of a trajectory, ids are not, and masking changes nothing that is compared.

All keys, addresses and numbers here are made up; the card numbers are the networks' published test numbers.
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.core.formats import personal, rite
from benchmark.core.trajectory import Final, Kind, Rollout, Slot, Step, Task, Unit

KEY = "sk-proj-" + "a1B2c3D4" * 4


def saying(words: Any) -> Rollout:
    return Rollout(id="r", steps=(Step(tool="t", arguments={}, observation=words),))


def found(words: Any) -> list[tuple[str, str]]:
    return [(finding.kind, finding.sample) for finding in personal.scan(saying(words))]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (f"key={KEY}", "key"),
        ("token ghp_" + "aB3" * 12, "key"),
        ("AKIAIOSFODNN7EXAMPLE", "key"),
        ("xoxb-123456789012-abcDEF", "key"),
        ("AIzaSy" + "D1_q-" * 6 + "abc", "key"),
        ("glpat-abc1DEF2ghi3JKL4mno5", "key"),
        ("hf_" + "aB3d" * 9, "key"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4", "key"),
        ("curl -H 'Authorization: Bearer q1W2e3R4t5Y6u7I8o9'", "key"),
        ("Authorization: Basic dXNlcjpwYXNzMTIzNA==", "key"),
        ("api_key: 0a1b2c3d4e5f6a7b", "key"),
        ('{"apiKey": "0a1b2c3d4e5f6a7b"}', "key"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow1A\nx9==\n-----END RSA PRIVATE KEY-----", "key"),
        ({"api_key": "0a1b2c3d4e5f"}, "key"),
        ({"headers": {"Authorization": "Bearer 0a1b2c3d4e5f"}}, "key"),
        ({"X-API-Key": "abcd1234abcd1234"}, "key"),
        ("write to ann.lee+shop@mail.example.co.uk.", "email"),
        ("邮箱zhang3@例子.cn不对，li4@example.cn对", "email"),
        ({"ann@example.com": 1}, "email"),
        ("call +41 44 268 12 34 now", "phone"),
        ("+8613800138000", "phone"),
        ("(206) 555-0100", "phone"),
        ("206-555-0100", "phone"),
        ("电话13800138000，谢谢", "phone"),
        ("138 0013 8000", "phone"),
        ("010-62345678", "phone"),
        ("card 4111 1111 1111 1111", "card"),
        ("5555-5555-5555-4444", "card"),
        ("378282246310005", "card"),
        ("6212345678901232", "card"),
        ("paid 12.50 with 2024 4111 1111 1111 1111", "card"),
    ],
)
def test_keys_addresses_phone_and_card_numbers_are_found(words, kind):
    assert [one for one, _ in found(words)] == [kind]


@pytest.mark.parametrize(
    "words",
    [
        "order #W6247578, item 9523456873, reservation HATHAT, flight HAT213",
        "gift_card_7250692 and credit_card_9513926 ending in 2478",
        "at 1788192000, or 1788192000123, or 2026-07-05T06:40:07.385171+00:00",
        "2024-05-20 15:00, 06:00:00, v1.2.3, 10.0.0.1, 192.168.100.200",
        "5ed21c65cf9e8d0c20ad0210721146bb6abad19bedce7c2e08472311dabbeec8",
        "8e419d32-8841-4b5d-9442-70505640e183",
        "call_OEikVFXK8h7goki7yiodLeIo",
        "466.75 + 288.82 + 135.24 + 193.38 + 46.66",
        "4111 1111 1111 1112",
        "#4111111111111111 order_4111111111111111 v4111111111111111",
        "113-1234567-1234567",
        "1234567890123456 0.4111111111111111",
        "lat 47.3768866123456789",
        "@app.route and user@localhost and git@github.com and a @ b",
        "sk-learn-is-a-library-for-everyone and task-1 and risk-2",
        "api_key: your_api_key_goes_here, password: ********, token={{API_TOKEN}}",
        "Authorization: required by policy",
        "the bearer of this message, the password is strong",
        {"password": "", "api_key": None, "authorization": "Bearer ${TOKEN}", "secret": "no"},
        {"next_token": "a1b2c3d4e5f6a7b8"},
        ["Bearer", "OEikVFXK8h7goki7yiodLeIo"],
        ["api_key:", "OEikVFXK8h7goki7yiodLeIo"],
        ["13800", "138000"],
        "population 1,210,569,573 and 1429567938 and 68373433",
    ],
)
def test_ids_times_and_figures_are_none_of_these(words):
    assert found(words) == []


def test_a_finding_says_where_and_never_the_value():
    rollout = Rollout(
        id="r",
        task=Task(query="I am ann.lee@example.com"),
        steps=(
            Step(kind=Kind.MESSAGE, text="again ann.lee@example.com"),
            Step(tool="find", arguments={"email": "ann.lee@example.com"}, observation={"key": KEY}, thought=KEY),
        ),
        final=Final("ann.lee@example.com 4111111111111111"),
    )
    findings = {finding.kind: finding for finding in personal.scan(rollout)}
    assert findings["email"].where == ("task query", "final answer", "R1 text", "R2 arguments")
    assert (findings["email"].sample, findings["email"].count) == ("a…@example.com", 4)
    assert (findings["key"].sample, findings["key"].where) == (
        "sk-p… (40 characters)",
        ("R2 thought", "R2 observation"),
    )
    assert findings["card"].sample == "…1111"


def test_masking_leaves_nothing_to_find_and_keeps_equal_values_equal():
    unit = Unit(
        id="u",
        query="Change the address of ann@example.com.",
        slot=Slot(producers=("get",), pointers=("/contacts/ann@example.com/mail",)),
        gold="ann@example.com",
        polluted="bob@example.com",
    )
    observed = {"contacts": {"ann@example.com": {"mail": "bob@example.com"}}, "price": 9.5}
    rollout = Rollout(
        id="r",
        unit=unit,
        prefix=(Step(tool="get", arguments={}, observation=observed),),
        steps=(Step(tool="get", arguments={"mail": "ann@example.com"}, observation="Error: no ann@example.com"),),
    )
    masked = personal.mask(rollout)
    assert personal.scan(masked) == []
    assert masked.unit.query == "Change the address of ⟨masked:email-1⟩."
    assert masked.unit.slot.pointers == ("/contacts/⟨masked:email-1⟩/mail",)
    assert (masked.unit.gold, masked.unit.polluted) == ("⟨masked:email-1⟩", "⟨masked:email-2⟩")
    assert masked.prefix[0].observation == {
        "contacts": {"⟨masked:email-1⟩": {"mail": "⟨masked:email-2⟩"}},
        "price": 9.5,
    }
    assert masked.steps[0].error.message == "no ⟨masked:email-1⟩"
    assert masked.extra == {"masked": {"email": 2}}


def test_a_labelled_secret_is_masked_where_it_stands_without_its_label_too():
    masked = personal.mask(saying([{"api_key": "hunter22hunter"}, "I used hunter22hunter for it"]))
    assert masked.steps[0].observation == [{"api_key": "⟨masked:key-1⟩"}, "I used ⟨masked:key-1⟩ for it"]


def test_a_rollout_without_findings_is_masked_to_itself():
    rollout = saying({"order": "#W1", "price": 9.5})
    assert personal.mask(rollout) is rollout


def test_stand_ins_are_numbered_in_the_order_of_reading():
    masked = personal.mask(saying(["b@example.com", "a@example.com", "b@example.com"]))
    assert masked.steps[0].observation == ["⟨masked:email-1⟩", "⟨masked:email-2⟩", "⟨masked:email-1⟩"]


def test_deeply_nested_values_are_masked_too():
    deep: Any = ["ann@example.com"]
    for _ in range(900):
        deep = [deep]
    masked = personal.mask(saying(deep))
    assert "⟨masked:email-1⟩" in rite.write_line(masked)
    assert personal.scan(masked) == []


PIECES = st.lists(
    st.sampled_from(
        ["ann@example.com", "4111 1111 1111 1111", "+41 44 268 12 34", KEY, " ", "\n", "x", "9", ",", "é", "\ud800"]
    ),
    max_size=8,
).map("".join)


@settings(deadline=None)
@given(st.recursive(PIECES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PIECES, inner, max_size=3)))
def test_masking_twice_changes_nothing_more(value):
    once = personal.mask(saying(value))
    assert personal.scan(once) == []
    assert rite.write_line(personal.mask(once)) == rite.write_line(once)
