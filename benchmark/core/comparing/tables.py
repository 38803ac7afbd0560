"""A small table of ready cells, written as plain text or as LaTeX."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmark.core.text import shown

LONG = 30
LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # After the \\ that ends a row these would be its arguments.
    **{sign: f"{{{sign}}}" for sign in "[]*"},
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "–": "--",
    "’": "'",
    "\n": " ",
    "\t": " ",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as a reader sees them. `key` is a short name to refer to it; `notes` are sentences below the table."""

    key: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


def as_text(tables: Iterable[Table]) -> str:
    """Columns aligned for a terminal; wide characters count twice, unseen ones are made visible."""
    return "\n\n".join(map(_text_table, tables)) + "\n"


def _text_table(table: Table) -> str:
    cells = [[" ".join(shown(cell).split()) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(_padded, row, widths)).rstrip() for row in cells]
    rule = "-" * max(map(_width, lines), default=0)
    return "\n".join([shown(table.title), rule, lines[0], rule, *lines[1:], *map(shown, table.notes)])


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))


def _width(text: str) -> int:
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def as_latex(tables: Iterable[Table]) -> str:
    """One booktabs table each, longtable beyond a page; every character with a meaning to LaTeX is escaped."""
    return "% Needs \\usepackage{booktabs,longtable}\n" + "\n\n".join(map(_latex_table, tables)) + "\n"


def _latex_table(table: Table) -> str:
    columns = "l" * len(table.header)
    caption = f"\\caption{{{_latex(table.title)}}}\\label{{tab:{re.sub('[^A-Za-z0-9-]', '-', table.key)}}}"
    head = ["\\toprule", _latex_row(table.header), "\\midrule"]
    rows = [_latex_row(row) for row in table.rows]
    notes = [f"\\par\\smallskip{{\\footnotesize {_latex(' '.join(table.notes))}}}"] if table.notes else []
    if len(rows) > LONG:
        body = [f"\\begin{{longtable}}{{{columns}}}", f"{caption}\\\\", *head, "\\endhead", *rows]
        return "\n".join([*body, "\\bottomrule", "\\end{longtable}", *notes])
    body = [f"\\begin{{tabular}}{{{columns}}}", *head, *rows, "\\bottomrule", "\\end{tabular}"]
    return "\n".join(["\\begin{table}", "\\centering", caption, *body, *notes, "\\end{table}"])


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(map(_latex, cells)) + " \\\\"


def _latex(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in shown(text))
