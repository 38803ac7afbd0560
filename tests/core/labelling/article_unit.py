"""One small unit to measure on: an article in a reading history is filed under Pet / Cat instead of Finance / Stocks."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

from benchmark.core.formats.errors import error_of
from benchmark.core.taxonomy import Condition, End, Locus
from benchmark.core.trajectory import ABSENT, Final, Rollout, Slot, Step, Tool, Unit

GOLD = {"category1": "Finance", "category2": "Stocks"}
POLLUTED = {"category1": "Pet", "category2": "Cat"}
RECORDED = {"user_id": "u_1", "limit": 20}
KEYWORDS = ["dividend investing", "index funds", "market review", "battery makers"]

TOOLBOX = (
    Tool(name="GetUserProfile", aliases=("GetUserProfileV2",), entity_keys=("user_id",)),
    Tool(name="GetArticleReadHistory", aliases=("ArticleHistoryV2",), entity_keys=("user_id",)),
    Tool(name="MergeInterestSignals"),
    Tool(name="KeywordEncoder"),
    Tool(name="GetArticleDetail", entity_keys=("article_id",), role="corroborating"),
    Tool(name="SearchNews", role="corroborating"),
    Tool(name="PushRecommendation", role="side_effect"),
)
CONSTRAINT = {
    "answer_keys": {"domain1": "category_l1", "keywords": "list[str]"},
    "required": [
        {"key": "domain1", "op": "eq", "value": "Finance", "norm": "category"},
        {"key": "keywords", "op": "overlap_ge", "value": KEYWORDS, "n": 2, "norm": "text"},
    ],
    "forbidden": [
        {"key": "domain1", "op": "in", "value": ["Pet"], "norm": "category"},
        {"key": "keywords", "op": "contains_any", "value": ["cat litter"], "norm": "text"},
    ],
    "evidence": [
        {"tool": "GetArticleReadHistory", "pointer": "/data/records/1/category1", "op": "eq", "value": "Finance"}
    ],
}
RIGHT = Final("The main interest is finance.", {"domain1": "Finance", "keywords": ["index funds", "market review"]})
WRONG = Final("The main interest is pets.", {"domain1": "Pet", "keywords": ["cat litter", "pet snacks"]})

MERGED = {"status": "ok", "data": {"signals": [{"domain1": "Finance", "weight": 0.6}]}}
ENCODED = {"status": "ok", "data": {"keywords": [{"term": term} for term in KEYWORDS]}}
UNAVAILABLE = {"status": "error", "error": {"type": "UpstreamUnavailable", "message": "no answer"}, "data": None}
BAD_ARGUMENT = {
    "status": "error",
    "error": {"type": "ArgumentError", "field": "limit", "message": "limit is too large"},
}
HARNESS_FAULT = {"status": "error", "error": {"type": "ToolExecutionError", "message": "tool raised", "trace_id": "t1"}}


def history(category1: str = "Finance", category2: str = "Stocks") -> dict[str, Any]:
    """The producer's observation with a category at the slot (record 1)."""
    return {
        "status": "ok",
        "data": {
            "records": [
                {
                    "article_id": "a_11",
                    "title": "Three side incomes with AI",
                    "category1": "Career",
                    "category2": "Side Income",
                },
                {
                    "article_id": "a_12",
                    "title": "CATL half-year report",
                    "category1": category1,
                    "category2": category2,
                },
            ]
        },
    }


def call(tool: str, arguments: Any = None, observation: Any = ABSENT, thought: str | None = "Get the record.") -> Step:
    """An agent's call with its error derived as a reader derives it."""
    step = Step(tool=tool, arguments=arguments or {}, observation=observation, thought=thought, source="replay")
    return replace(step, error=error_of(step))


def refetch(observation: Any = None, thought: str | None = "Get the record.", **arguments: Any) -> Step:
    """A producer call; without an observation it returns gold."""
    return call(
        "GetArticleReadHistory", {**RECORDED, **arguments}, history() if observation is None else observation, thought
    )


def merge(thought: str = "Merge the signals.", source: str = "P2") -> Step:
    """The consumer, fed by reference from a step."""
    return call("MergeInterestSignals", {"articles": {"step": source, "pointer": "/data/records"}}, MERGED, thought)


SHOWN = {
    Condition.CORRECT: history(),
    Condition.IMPLICIT: history(*POLLUTED.values()),
    Condition.EXPLICIT: UNAVAILABLE,
}

UNIT = Unit(
    id="wf06-c01-s02-out-sibl",
    workflow="wf06",
    query="Which domain comes first?",
    inputs={"user_id": "u_1"},
    slot=Slot(
        producers=("GetArticleReadHistory",),
        pointers=("/data/records/1/category1", "/data/records/1/category2"),
        consumer="MergeInterestSignals",
        entity={"user_id": "u_1"},
    ),
    gold=GOLD,
    polluted=POLLUTED,
    constraint=CONSTRAINT,
    reference=(
        Step(tool="GetArticleReadHistory", arguments=RECORDED, observation=history()),
        Step(tool="KeywordEncoder", arguments={}, observation=ENCODED),
    ),
    toolbox=TOOLBOX,
)


def rollout(
    *steps: Step,
    condition: Condition = Condition.IMPLICIT,
    final: Final | None = RIGHT,
    end: End | None = End.ANSWERED,
    unit: Unit | None = UNIT,
    prefix: tuple[Step, ...] | None = None,
    **more: Any,
) -> Rollout:
    """A rollout of the article unit; the prefix shows at the slot what the condition says."""
    if prefix is None:
        prefix = (
            call("GetUserProfile", {"user_id": "u_1"}, {"status": "ok", "data": {"occupation": "accountant"}}),
            call("GetArticleReadHistory", RECORDED, deepcopy(SHOWN[condition])),
        )
    return Rollout(id="r1", unit=unit, condition=condition, prefix=prefix, steps=steps, final=final, end=end, **more)


INPUT_UNIT = replace(
    UNIT,
    id="wf07-c01-s09-in-near",
    slot=Slot(
        producers=("BuildPricingRequest", "GetUserCoupons"),
        pointers=("/coupon_id",),
        consumer="PriceCart",
        locus=Locus.TOOL_INPUT,
        entity={"user_id": "u_1"},
    ),
    gold="cp_0081",
    polluted="cp_0083",
    toolbox=(
        Tool(name="BuildPricingRequest"),
        Tool(name="GetUserCoupons", entity_keys=("user_id",), extra={"slot_projection": ["/data/coupons/0/coupon_id"]}),
        Tool(name="PriceCart"),
        Tool(name="GetCouponRule", role="corroborating", entity_keys=("coupon_id",)),
    ),
    constraint=None,
    reference=(),
)
