"""The texts that ship with RITE and stand in every new study until a researcher writes others."""

from importlib.resources import files


def shipped(kind: str) -> str:
    """The shipped `guidelines` or `consent` text, as Markdown."""
    return files("annotation").joinpath("texts", f"{kind}.md").read_text(encoding="utf-8")
