"""From wanted totals per condition and per model to a whole-number table of strata."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.core.strata import ANY, SampleRefused, Stratum, counted
from benchmark.core.seeds import seeded

Table = dict[Stratum, int]


class MarginsUnmet(SampleRefused):
    """No table of the eligible rollouts meets the margins."""


@dataclass(frozen=True, slots=True)
class Margins:
    """Wanted totals per condition and per model; an empty side leaves that side free."""

    condition: Mapping[str, int] = field(default_factory=dict)
    model: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of rollouts wanted in all."""
        return sum((self.condition or self.model).values())

    def coarsen(self, stratum: Stratum) -> Stratum:
        """The stratum as far as these margins tell strata apart."""
        return Stratum(stratum.model if self.model else ANY, stratum.condition if self.condition else ANY)


def meet_margins(held: Mapping[Stratum, int], margins: Margins, seed: int) -> Table:
    """Find how many rollouts to draw from each stratum so that both margins are met.

    `held` counts the eligible rollouts of each stratum, coarsened where a side is free. Of all tables that meet the
    margins this is one nearest to "condition total × model total / all" in squares, ties broken by the seed.
    Raises MarginsUnmet with a sentence for each margin that cannot be met.
    """
    conditions = dict(margins.condition) or {ANY: margins.total}
    models = dict(margins.model) or {ANY: margins.total}
    if sum(conditions.values()) != sum(models.values()):
        raise MarginsUnmet(
            [
                f"The conditions add up to {sum(conditions.values())} and the models to {sum(models.values())}; "
                "both must add up to the number of rollouts."
            ]
        )
    problems = _alone(held, conditions, models) or _together(held, conditions, models)
    if problems:
        raise MarginsUnmet(problems)
    return _nearest_table(held, conditions, models, seed)


def _alone(held: Mapping[Stratum, int], conditions: Mapping[str, int], models: Mapping[str, int]) -> list[str]:
    """Each single margin that is too high for what is held, even if the rest of its side wanted nothing."""
    problems = []
    for condition, wanted in sorted(conditions.items()):
        within = sum(min(held.get(Stratum(model, condition), 0), most) for model, most in models.items())
        if within < wanted:
            problems.append(_sentence(f"condition {condition}", wanted, within, "the wanted numbers per model"))
    for model, wanted in sorted(models.items()):
        within = sum(min(held.get(Stratum(model, condition), 0), most) for condition, most in conditions.items())
        if within < wanted:
            problems.append(_sentence(f"model {model}", wanted, within, "the wanted numbers per condition"))
    return problems


def _sentence(margin: str, wanted: int, within: int, others: str) -> str:
    return (
        f"Of {margin} {wanted} are wanted, but {counted(within, 'eligible rollout')} can be had within {others}: "
        f"{wanted - within} too few."
    )


def _together(held: Mapping[Stratum, int], conditions: Mapping[str, int], models: Mapping[str, int]) -> list[str]:
    """A set of conditions that together ask for more than the models allow: the minimum cut of the table's flow."""
    import networkx as nx

    network = nx.DiGraph()
    for condition, wanted in sorted(conditions.items()):
        network.add_edge("source", ("condition", condition), capacity=wanted)
        for model in sorted(models):
            most = held.get(Stratum(model, condition), 0)
            network.add_edge(("condition", condition), ("model", model), capacity=most)
    for model, wanted in sorted(models.items()):
        network.add_edge(("model", model), "sink", capacity=wanted)
    reached, (near, _) = nx.minimum_cut(network, "source", "sink")
    short = sum(conditions.values()) - reached
    if not short:
        return []
    greedy = sorted(condition for condition in conditions if ("condition", condition) in near)
    full = sorted(model for model in models if ("model", model) in near)
    wanted = sum(conditions[condition] for condition in greedy)
    return [
        f"Of the conditions {_listed(greedy)} {wanted} rollouts are wanted in all, but only {wanted - short} can be "
        f"had: the wanted numbers of the models {_listed(full)} leave no room for more, "
        f"and the other models hold too few. {short} too few."
    ]


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]][len(names) == 1 :])


def _nearest_table(
    held: Mapping[Stratum, int], conditions: Mapping[str, int], models: Mapping[str, int], seed: int
) -> Table:
    """Solve the transport problem with the cost (cell − expected)², as a minimum-cost flow (Ahuja, Magnanti and Orlin,
    *Network Flows*, ch. 14: a convex cost is a bundle of parallel arcs of rising cost)."""
    import networkx as nx

    rng = seeded(seed, "margins")
    network: Any = nx.MultiDiGraph()
    for condition in rng.sample(sorted(conditions), len(conditions)):
        network.add_node(("condition", condition), demand=-conditions[condition])
    for model in rng.sample(sorted(models), len(models)):
        network.add_node(("model", model), demand=models[model])
    total = sum(models.values())
    for _, condition in list(network)[: len(conditions)]:
        for _, model in list(network)[len(conditions) :]:
            product = conditions[condition] * models[model]
            most = min(held.get(Stratum(model, condition), 0), conditions[condition], models[model])
            for low, high in _pieces(most, product // total if total else 0):
                # total·(x − product/total)² rises by this much a unit between low and high; whole numbers keep it exact
                slope = total * (low + high) - 2 * product
                network.add_edge(("condition", condition), ("model", model), capacity=high - low, weight=slope)
    _, flows = nx.network_simplex(network)
    return {
        Stratum(model, condition): drawn
        for (side, condition), targets in flows.items()
        if side == "condition"
        for (_, model), parallel in targets.items()
        if (drawn := sum(parallel.values()))
    }


def _pieces(most: int, centre: int) -> list[tuple[int, int]]:
    """Cut 0…most into steps: single units near the centre, doubling away from it, so that arcs stay few."""
    cuts = {0, most, centre, centre + 1}
    for power in range(most.bit_length() + 1):
        cuts |= {centre - 2**power, centre + 1 + 2**power}
    steps = sorted(cut for cut in cuts if 0 <= cut <= most)
    return list(zip(steps, steps[1:], strict=False))
