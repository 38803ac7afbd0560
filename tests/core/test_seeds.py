"""Drawn choices can be drawn again."""

from random import Random

from benchmark.core.seeds import seeded


def test_a_choice_is_the_published_rule_and_nothing_else():
    # sha256("20260817|order|3"), first eight bytes, computed with coreutils' sha256sum
    assert seeded(20260817, "order", 3).random() == Random(0x3CC40299D4AB40AB).random()


def test_other_words_draw_otherwise():
    draws = {seeded(7).random(), seeded(8).random(), seeded(7, "order", 1).random(), seeded(7, "order", 2).random()}
    assert len(draws) == 4
