"""The shared real files, read by eye first; what stands here was written down before the screening was run on them.

- article_rewrite: keep. Scrapes a page, extracts, and by the user's wish rewrites it without, with one or with many
  pictures (an iteration over paragraphs). 14 working nodes, every exit of the three branches goes to an end. The end for a
  page that cannot be read returns nothing, although a template writes an apology for it.
- form_chat: refuse. A login form in a chat: one template, one model, one code, one assignment. Nothing is looked up.
- intent_routing_support: keep. Intent, classifier with both classes connected, one knowledge base, two answers joined,
  styled. Just large enough: six nodes that work.
- ops_all_in_one: keep. One long chain, 14 interfaces; four POST requests that make pictures must be neutralised, and their
  answers are read.
- payment_demo: refuse. Creating an order, asking for it, setting a state, one model: four working nodes. If the payment is
  not done the run ends behind the first answer.
- structured_output: refuse. One model and one template.
- travel_agent_node: refuse. An agent chooses its own searches; beside it there is only bookkeeping.
"""

from pathlib import Path

import pytest

from benchmark.core.formats.workflow_file import FileRefused, screen_file
from benchmark.core.workflows.reasons import Rule
from benchmark.core.workflows.screening import Verdict

WORKFLOWS = Path(__file__).parents[4] / "shared" / "data" / "workflows"


def content(name: str) -> bytes:
    path = WORKFLOWS / name
    if not path.exists():
        pytest.skip(f"the shared workflows are not here: {name}")
    return path.read_bytes()


def verdict(name: str) -> Verdict:
    return screen_file(content(name), name)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("dify_article_rewrite.yml", []),
        ("dify_form_chat.yml", [Rule.SHORT]),
        ("dify_intent_routing_support.yml", []),
        ("dify_ops_all_in_one_51_nodes.yml", []),
        ("dify_payment_demo.yml", [Rule.SHORT]),
        ("dify_structured_output_v050.yml", [Rule.SHORT]),
        ("dify_travel_agent_node.yml", [Rule.AGENT, Rule.SHORT]),
    ],
)
def test_a_real_app_gets_the_verdict_a_careful_reader_gave_it(name: str, rules: list[Rule]) -> None:
    assert [reason.rule for reason in verdict(name).reasons] == rules


@pytest.mark.parametrize(
    ("name", "nodes", "working", "interfaces", "side_effects"),
    [
        ("dify_article_rewrite.yml", 23, 14, 9, 0),
        ("dify_form_chat.yml", 10, 4, 1, 1),
        ("dify_intent_routing_support.yml", 9, 6, 6, 0),
        ("dify_ops_all_in_one_51_nodes.yml", 51, 49, 14, 4),
        ("dify_payment_demo.yml", 11, 4, 3, 2),
        ("dify_structured_output_v050.yml", 4, 2, 1, 0),
        ("dify_travel_agent_node.yml", 7, 5, 0, 2),
    ],
)
def test_a_real_app_is_counted_as_by_hand(
    name: str, nodes: int, working: int, interfaces: int, side_effects: int
) -> None:
    counts = verdict(name).counts
    assert (counts.nodes, counts.working, counts.interfaces, counts.side_effects) == (
        nodes,
        working,
        interfaces,
        side_effects,
    )


def test_what_a_reader_should_know_of_a_kept_app_is_said() -> None:
    assert verdict("dify_article_rewrite.yml").notes == (
        "Nothing reads what “模板转换 2” (1719061473923) gives.",
        "“结束 4” (1719061487614) gives no result.",
    )


def test_a_payment_that_fails_ends_behind_the_first_answer() -> None:
    assert (
        "A run that leaves “判断支付成功” (1748919463196) by its exit “false” ends there, behind an earlier answer."
        in verdict("dify_payment_demo.yml").notes
    )


def test_creating_an_order_is_neutralised_and_who_needs_its_answer_is_said() -> None:
    assert verdict("dify_payment_demo.yml").neutralise == (
        "“创建订单” (1749220945757), tool; its answer is read by “直接回复” (answer), “查询订单” (1749221017459), "
        "so a replica must play one back",
        "“变量赋值” (1748921921613), assigner",
    )


def test_the_four_keys_of_a_real_file_are_counted_and_not_shown() -> None:
    found = verdict("dify_ops_all_in_one_51_nodes.yml")
    assert found.notes == ("The file holds what looks like a key in 4 places: take it out before the file is shared.",)
    assert "REDACTED_API_KEY" not in repr(found)


@pytest.mark.parametrize("name", ["n8n_shopify_zendesk.json", "n8n_stripe_quickbooks.json"])
def test_an_n8n_workflow_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(FileRefused, match=rf"^{name}: n8n workflow \(.*\): recognised, not read"):
        verdict(name)
