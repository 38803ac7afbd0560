"""Made-up trajectories of a wanted size in the τ-bench shape: 12 to 25 shop lookups answered in JSON, a thought each."""

import json
import random
from collections.abc import Iterator
from typing import Any

WORDS = [
    "order",
    "kettle",
    "steel",
    "return",
    "parcel",
    "address",
    "keyboard",
    "backlight",
    "delivered",
    "refund",
    "exchange",
    "wireless",
    "lamp",
    "warehouse",
    "member",
    "coupon",
    "review",
    "size",
    "colour",
    "price",
    "灯",
    "水壶",
    "退货",
    "会员",
    "优惠",
]
BYTES_AN_ITEM = 168
BYTES_AN_ITEM_UNQUOTED = 126


def records(
    count: int, *, seed: int = 1, smallest: int = 30_000, largest: int = 100_000, calls: int | None = None
) -> Iterator[dict[str, Any]]:
    """`count` records of `smallest` to `largest` bytes of JSON each; equal seeds give equal records."""
    chance = random.Random(seed)
    prompt = "# Shop agent policy\n" + _talk(chance, 900)
    for number in range(count):
        size = chance.randint(smallest, largest)
        yield _record(chance, number, prompt, size, calls or chance.randint(12, 25))


def long_records() -> Iterator[dict[str, Any]]:
    """Two records: 25 calls that answer 1 MB each, and one call that answers 5 MB."""
    for number, (calls, megabytes) in enumerate(((25, 1), (1, 5))):
        chance = random.Random(number)
        record = _record(chance, number, "# Shop agent policy", 30_000, calls)
        for message in record["traj"]:
            if message["role"] == "tool":
                items = _order(chance, megabytes * 1_000_000 // BYTES_AN_ITEM_UNQUOTED)
                message["content"] = json.dumps(items, ensure_ascii=False)
        yield record


def _record(chance: random.Random, number: int, prompt: str, size: int, calls: int) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": prompt}]
    messages.append(
        {"role": "user", "content": f"Hello, about order #W{number:07d} ({size} bytes). {_talk(chance, 25)}"}
    )
    items = max(1, (size - len(prompt)) // calls // BYTES_AN_ITEM)
    for _ in range(calls):
        call = f"call_{number}_{len(messages)}"
        observation = json.dumps(_order(chance, items), ensure_ascii=False)
        function = {"name": "get_order_details", "arguments": json.dumps({"order_id": f"#W{chance.randrange(10**7)}"})}
        tool_calls = [{"id": call, "type": "function", "function": function}]
        messages += [
            {"role": "assistant", "content": _talk(chance, 20), "tool_calls": tool_calls},
            {"role": "tool", "tool_call_id": call, "name": "get_order_details", "content": observation},
        ]
    messages += [{"role": "assistant", "content": "Your parcel leaves today. " + _talk(chance, 30)}]
    task = {"instruction": "You want to know when the parcel leaves.", "actions": [], "outputs": []}
    return {"task_id": number, "reward": float(number % 2), "trial": 0, "info": {"task": task}, "traj": messages}


def _order(chance: random.Random, items: int) -> dict[str, Any]:
    return {
        "order_id": f"#W{chance.randrange(10**7):07d}",
        "address": {"city": chance.choice(WORDS), "zip": f"{chance.randrange(10**5):05d}"},
        "items": [
            {
                "name": " ".join(chance.choices(WORDS, k=3)),
                "item_id": str(chance.randrange(10**9, 10**10)),
                "price": round(chance.uniform(5, 900), 2),
                "options": {"colour": chance.choice(WORDS), "available": chance.random() < 0.5},
            }
            for _ in range(items)
        ],
        "status": "delivered",
    }


def _talk(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."
