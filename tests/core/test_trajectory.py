"""The nouns everyone shares."""

import copy
import pickle

import pytest

from benchmark.core.trajectory import ABSENT, Actor, Kind, Rollout, Step, Task, Unit


def test_no_observation_is_not_the_same_as_null():
    assert Step(tool="t").observation is ABSENT
    assert Step(tool="t", observation=None).observation is None
    assert not ABSENT


def test_there_is_one_absent_value_however_it_travels():
    assert pickle.loads(pickle.dumps(ABSENT)) is ABSENT
    assert copy.deepcopy(Step(tool="t")).observation is ABSENT


def test_steps_are_numbered_over_messages_too():
    call, message = Step(tool="t"), Step(kind=Kind.MESSAGE, text="Hi")
    rollout = Rollout(id="r", prefix=(call, message), steps=(message, call, call))
    assert [number for number, _ in rollout.numbered()] == ["P1", "P2", "R1", "R2", "R3"]


@pytest.mark.parametrize(
    ("step", "is_agents"),
    [
        (Step(tool="t"), True),
        (Step(tool="t", actor=Actor.USER), False),
        (Step(kind=Kind.MESSAGE, text="Hi"), False),
    ],
)
def test_calls_of_a_simulated_user_and_messages_are_no_agent_calls(step, is_agents):
    assert step.is_agent_call is is_agents


def test_the_query_is_the_units_where_there_is_one():
    assert (
        Rollout(id="r", unit=Unit(id="u", query="of the unit"), task=Task(query="of the task")).query == "of the unit"
    )
    assert Rollout(id="r", task=Task(query="of the task")).query == "of the task"
    assert Rollout(id="r").query == ""
