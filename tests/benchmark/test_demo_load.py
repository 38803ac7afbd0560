"""What the first start of the demo brings, and that the second brings nothing."""

from pathlib import Path

import pytest

from benchmark.actions import demo
from benchmark.models import Account, ImportBatch, Rollout

pytestmark = pytest.mark.django_db

ACCOUNTS = {"admin": "admin", "researcher": "researcher", "author": "author"} | {
    f"annotator{number}": "annotator" for number in range(1, 7)
}


def test_the_first_load_makes_accounts_whose_passwords_open_them() -> None:
    passwords = demo.load()
    assert dict(Account.objects.values_list("username", "role")) == ACCOUNTS
    assert set(passwords) == set(ACCOUNTS)
    assert len(set(passwords.values())) == len(ACCOUNTS)
    for account in Account.objects.all():
        assert account.check_password(passwords[account.username])


def test_the_imports_say_who_wrote_them_under_which_licence() -> None:
    demo.load()
    batches = {batch.file_name: batch for batch in ImportBatch.objects.all()}
    assert {name: batch.read for name, batch in batches.items()} == {
        "published_cases.jsonl": 2,
        "hand_written.jsonl": 44,
        "table8_rollouts.jsonl": 100,
    }
    assert {batch.licence for batch in batches.values()} == {"CC-BY-4.0"}
    assert {batch.skipped for batch in batches.values()} == {0}
    assert "written for this demo" in batches["hand_written.jsonl"].source
    assert "retold in our own words" in batches["published_cases.jsonl"].source
    assert "never published" in batches["table8_rollouts.jsonl"].source
    assert all(batch.who and batch.who.username == "researcher" for batch in batches.values())


def test_the_second_load_brings_nothing_and_hands_out_no_passwords() -> None:
    demo.load()
    before = (Account.objects.count(), ImportBatch.objects.count(), Rollout.objects.count())
    assert demo.load() == {}
    assert (Account.objects.count(), ImportBatch.objects.count(), Rollout.objects.count()) == before


def test_an_account_that_is_gone_does_not_come_back() -> None:
    demo.load()
    Account.objects.get(username="annotator6").erase()
    assert demo.load() == {}
    assert not Account.objects.filter(username="annotator6").exists()


def test_an_account_that_was_there_before_keeps_its_password() -> None:
    Account.objects.create_user("admin", "chosen by its owner", role="admin")
    passwords = demo.load()
    assert "admin" not in passwords
    assert Account.objects.get(username="admin").check_password("chosen by its owner")


def test_a_load_that_breaks_leaves_nothing_and_the_next_one_is_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(demo, "FIXTURES", tmp_path)
        with pytest.raises(FileNotFoundError):
            demo.load()
    assert not Account.objects.exists()
    assert not Rollout.objects.exists()
    assert set(demo.load()) == set(ACCOUNTS)
    assert Rollout.objects.filter(status="finished").count() == 146


def test_rebuilt_rollouts_say_in_every_place_that_they_were_never_published() -> None:
    demo.load()
    rebuilt = Rollout.objects.filter(batch__file_name="table8_rollouts.jsonl")
    assert rebuilt.count() == 100
    assert not rebuilt.filter(steps__isnull=False).exists()
    assert all(task.startswith("Not published.") for task in rebuilt.values_list("task", flat=True))
    assert set(rebuilt.values_list("final_answer", flat=True)) == {"Not published."}
    assert set(rebuilt.values_list("noticed", "producer_refetch", "state")) == {(None, None, "")}
    assert all("the record holds no step" in labels for labels in rebuilt.values_list("labels", flat=True))
    assert set(rebuilt.values_list("model__kind", flat=True)) == {"recorded"}
