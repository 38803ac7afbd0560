"""Which answer belongs to which call: inside one turn of the agent, never across a file, for ids repeat there."""

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable

from benchmark.core.formats.messages import Call, Result, Turn
from benchmark.core.trajectory import Actor


def with_answers(turns: Iterable[Turn]) -> list[tuple[Turn, list[Result]]]:
    """Each turn with the results that follow it up to the agent's next turn; results that follow no call stand alone."""
    pairs: list[tuple[Turn, list[Result]]] = []
    open_results: list[Result] | None = None
    for turn in turns:
        if turn.actor is None and open_results is not None:
            open_results += turn.results
            continue
        results = list(turn.results)
        pairs.append((turn, results))
        if turn.actor is Actor.AGENT:
            open_results = results if turn.calls else None
    return pairs


def paired(calls: list[Call], results: list[Result]) -> tuple[list[Result | None], list[Result]]:
    """Each call's result, or None; and the results that no call is left for.

    By id and tool name, then by id, then by tool name, then by order: parallel calls are answered in any order, and
    logs without ids still name the tool.
    """
    if len(calls) == len(results) == 1:
        return [results[0]], []
    found: list[Result | None] = [None] * len(calls)
    free = results
    for by_id, by_tool in ((True, True), (True, False), (False, True), (False, False)):
        waiting: defaultdict[Hashable, deque[Result]] = defaultdict(deque)
        for result in free:
            waiting[_key(result, by_id, by_tool)].append(result)
        for index, call in enumerate(calls):
            key = _key(call, by_id, by_tool)
            if found[index] is None and key is not None and waiting[key]:
                found[index] = waiting[key].popleft()
        taken = {id(result) for result in found if result}
        free = [result for result in free if id(result) not in taken]
    return found, free


def repeated_ids(turns: Iterable[Turn]) -> frozenset[str]:
    """The call ids that more than one call of a record has."""
    counts = Counter(call.call_id for turn in turns for call in turn.calls if call.call_id is not None)
    return frozenset(call_id for call_id, count in counts.items() if count > 1)


def _key(side: Call | Result, by_id: bool, by_tool: bool) -> Hashable | None:
    if (by_id and side.call_id is None) or (by_tool and not side.tool):
        return None
    return (side.call_id if by_id else None, side.tool if by_tool else None)
