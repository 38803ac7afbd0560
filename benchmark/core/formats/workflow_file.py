"""A workflow file of any language RITE knows, screened."""

import io
import re

from benchmark.core.formats import known
from benchmark.core.formats.sniff import recognise
from benchmark.core.workflows import dify, dsl, dsl_graph, screening
from benchmark.core.workflows.dify import DifyRefused
from benchmark.core.workflows.dsl import WorkflowRefused
from benchmark.core.workflows.screening import Verdict

MOST_BYTES = max(dsl.MOST_BYTES, dify.MOST_BYTES)

_OURS = re.compile(rb"^dsl:", re.MULTILINE)
_DIFY = re.compile(rb"^app:", re.MULTILINE)
_READ = f"workflows are read in {dsl.FORMAT} and as Dify app exports (YAML)"


class FileRefused(ValueError):
    """A file cannot be screened; a sentence for each mistake, each with the file's name."""


def screen_file(content: bytes, file_name: str) -> Verdict:
    """Give the verdict on a file's workflow; the language is told by the file's content.

    Raises FileRefused: the file is of another kind (n8n and whatever else is known is named), or is broken.
    """
    if not content.lstrip().startswith((b"{", b"[")):
        try:
            if _OURS.search(content.removeprefix(b"\xef\xbb\xbf")):
                return screening.screen(dsl_graph.graph_of(dsl.read(content, file_name)), file_name)
            if _DIFY.search(content.removeprefix(b"\xef\xbb\xbf")):
                return screening.screen(dify.read(content, file_name), file_name)
        except (WorkflowRefused, DifyRefused) as refused:
            raise FileRefused(str(refused)) from None
    raise FileRefused(f"{file_name}: {_what_it_is(content)}")


def _what_it_is(content: bytes) -> str:
    told = recognise(io.BytesIO(content))
    if told.format == known.N8N.format:
        return f"{told.title} ({told.told_by}): recognised, not read; {_READ}."
    if told.format:
        return f"{told.title} ({told.told_by}): this is no workflow; {_READ}."
    return f"This is no workflow that is known: {_READ}, which begin with the keys dsl and app."
