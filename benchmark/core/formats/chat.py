"""Chat messages with tool calls, and τ-bench results: one record holds the messages of one trajectory.

All steps are the agent's continuation: nothing here is an inherited prefix, and no slot is known.
"""

from collections.abc import Iterator
from typing import Any

from benchmark.core.formats import tau_bench
from benchmark.core.formats.arguments import read_arguments
from benchmark.core.formats.errors import FLAG, verdict
from benchmark.core.formats.messages import Call, Result, Turn, are_messages, joined, observation, turns
from benchmark.core.formats.outcome import Notes, Read, Unreadable
from benchmark.core.formats.pairing import paired, repeated_ids, with_answers
from benchmark.core.taxonomy import End
from benchmark.core.trajectory import ABSENT, Actor, Final, Kind, Labels, Model, Rollout, Step, Task

FORMAT = "chat"

_UNNAMED = "(unnamed)"
_LONGEST_KEPT = 1_000
_INSTRUCTION_KEYS = ("system", "instructions")
_READ_KEYS = frozenset(
    {"traj", "messages", "items", "input", "output", "info", "reward", "model", "usage", "id", *_INSTRUCTION_KEYS}
)


def read(record: Any, sha256: str) -> Read:
    """Read one record, an object or a bare list of messages. Raises Unreadable where it holds no tool call.

    The system's first words are kept as the task's instruction; every later message and every call is a step, but the
    agent's last words: they are the final answer, unless calls follow them.
    """
    said = list(turns(_messages_of(record)))
    _require_calls(said)
    fields = record if isinstance(record, dict) else {}
    notes = Notes()
    for turn in said:
        notes.add(turn.note)
    instruction = joined((*_instruction_beside(fields), _pop_instruction(said)))
    final = _last_words(said)
    steps = tuple(_Steps(said, final, notes).all())
    rollout = Rollout(
        id=_id(fields, sha256),
        model=Model(fields["model"]) if isinstance(fields.get("model"), str) and fields["model"] else None,
        task=_task(fields, said, instruction),
        steps=steps,
        final=Final(final.text) if final else None,
        end=End.ANSWERED if final else None,
        usage=fields["usage"] if isinstance(fields.get("usage"), dict) else None,
        labels=_labels(fields, steps),
        extra={"origin": _origin(fields)},
    )
    if not rollout.query:
        notes.add("there is no user message, so the task is not known")
    return Read(rollout, notes.sentences())


def _messages_of(record: Any) -> list[Any]:
    if isinstance(record, list):
        return record
    if not isinstance(record, dict):
        raise Unreadable("a record must be an object or a list of messages")
    for key in ("traj", "messages", "items"):
        if are_messages(record.get(key)):
            return record[key]
    asked, output = record.get("input"), record.get("output")
    if isinstance(asked, str):
        asked = [{"role": "user", "content": asked}]
    found = [message for part in (asked, output) if isinstance(part, list) for message in part]
    if not found:
        raise Unreadable("no list of messages was found under traj, messages, items, or input and output")
    return found


def _require_calls(said: list[Turn]) -> None:
    if any(turn.calls for turn in said):
        return
    counts = [f"{sum(turn.actor is actor for turn in said)} by the {actor.value}" for actor in Actor]
    results = sum(len(turn.results) for turn in said)
    lost = f" There are {results} tool results, but tool names and arguments are not in this record." if results else ""
    raise Unreadable(f"nothing to import: no tool call was made. Messages seen: {', '.join(counts)}.{lost}")


def _instruction_beside(record: dict[str, Any]) -> Iterator[str]:
    return (record[key] for key in _INSTRUCTION_KEYS if isinstance(record.get(key), str))


def _pop_instruction(said: list[Turn]) -> str:
    """Take the system's turns off the beginning: they say how to behave and are no event of the trajectory."""
    words: list[str] = []
    while said and said[0].actor is Actor.SYSTEM and not said[0].note:
        words.append(said.pop(0).text)
    return joined(words)


def _last_words(said: list[Turn]) -> Turn | None:
    last = next((turn for turn in reversed(said) if turn.actor is Actor.AGENT), None)
    return last if last and last.text and not last.calls else None


class _Steps:
    """Puts the steps of a record together; a group is the calls of one turn where it made several."""

    def __init__(self, said: list[Turn], final: Turn | None, notes: Notes) -> None:
        self._said = said
        self._final = final
        self._notes = notes
        self._repeated = repeated_ids(said)
        self._steps: list[Step] = []
        self._groups = 0

    def all(self) -> list[Step]:
        for turn, results in with_answers(self._said):
            if turn.calls:
                self._add_calls(turn, results)
            elif turn.actor is None:
                self._add_orphans(results)
            else:
                self._add_message(turn)
        return self._steps

    def _add_message(self, turn: Turn) -> None:
        words = None if turn is self._final else turn.text or None
        if words or turn.thought:
            actor = turn.actor or Actor.SYSTEM
            self._steps.append(Step(kind=Kind.MESSAGE, actor=actor, text=words, thought=turn.thought or None))

    def _add_calls(self, turn: Turn, results: list[Result]) -> None:
        answers, orphans = paired(turn.calls, results)
        self._groups += len(turn.calls) > 1
        group = self._groups if len(turn.calls) > 1 else None
        thought: str | None = joined((turn.thought, turn.text)) or None
        for call, answer in zip(turn.calls, answers, strict=True):
            self._add_call(call, answer, thought, group)
            thought = None
        self._add_orphans(orphans)

    def _add_call(self, call: Call, answer: Result | None, thought: str | None, group: int | None) -> None:
        arguments, raw, note = read_arguments(call.arguments)
        self._note(note)
        tool = self._tool(call, answer)
        seen, flag = (observation(answer.content), answer.flag) if answer else (ABSENT, ABSENT)
        if answer is None:
            self._note("a call has no answer in its turn")
        extra = {"called_as": call.tool} if call.tool and tool != call.tool else {}
        self._steps.append(
            Step(
                thought=thought,
                tool=tool,
                arguments=arguments,
                arguments_raw=raw,
                observation=seen,
                error=verdict(seen, flag).error,
                group=group,
                call_id=call.call_id,
                extra=extra if flag is ABSENT else {**extra, FLAG: flag},
            )
        )

    def _tool(self, call: Call, answer: Result | None) -> str:
        """The call's own tool name; its answer's where the id is missing or repeats: then something else ran than was said."""
        if not call.tool:
            self._note("a call does not name its tool")
            return (answer.tool if answer else "") or _UNNAMED
        if answer is None or not answer.tool or answer.tool == call.tool:
            return call.tool
        if answer.call_id is None or call.call_id is None or call.call_id in self._repeated:
            self._note(
                "the tool message's own name was used: it differs from its call's, and the call's id repeats or is missing"
            )
            return answer.tool
        self._note("a tool message names another tool than its call does; the call's name was kept")
        return call.tool

    def _add_orphans(self, results: list[Result]) -> None:
        for result in results:
            self._note("a tool message answers no call, so its arguments are not known")
            seen = observation(result.content)
            error = verdict(seen, result.flag).error
            extra = {} if result.flag is ABSENT else {FLAG: result.flag}
            step = Step(
                tool=result.tool or _UNNAMED, observation=seen, error=error, call_id=result.call_id, extra=extra
            )
            self._steps.append(step)

    def _note(self, sentence: str) -> None:
        if sentence:
            self._notes.add(sentence, f"R{len(self._steps) + 1}")


def _task(record: dict[str, Any], said: list[Turn], instruction: str) -> Task:
    words = (turn.text.replace(tau_bench.STOP, "").strip() for turn in said if turn.actor is Actor.USER)
    goal = tau_bench.goal(record)
    return Task(
        query=joined(words),
        goal=goal,
        goal_heading=tau_bench.GOAL_HEADING if goal else None,
        reference=tau_bench.expected(record),
        extra={"instruction": instruction} if instruction else {},
    )


def _labels(record: dict[str, Any], steps: tuple[Step, ...]) -> Labels | None:
    judged = tau_bench.judged(record, steps) if tau_bench.is_tau_bench(record) else None
    return Labels(results=(judged,), diagnostics={"reward": record["reward"]}) if judged else None


def _id(record: dict[str, Any], sha256: str) -> str:
    if tau_bench.is_tau_bench(record):
        return f"tau-bench/{record.get('task_id', '')}/{record.get('trial', '')}/{sha256[:12]}"[:200]
    own = record.get("id")
    return f"chat/{own[:100]}/{sha256[:12]}" if isinstance(own, str) and own else f"chat/{sha256[:12]}"


def _origin(record: dict[str, Any]) -> dict[str, Any]:
    """What the record says of itself in single short values, such as the task's number and the trial."""
    kept = {key: value for key, value in record.items() if key not in _READ_KEYS and not isinstance(value, dict | list)}
    short = {key: value for key, value in kept.items() if not isinstance(value, str) or len(value) <= _LONGEST_KEPT}
    return {"format": FORMAT, **short}
