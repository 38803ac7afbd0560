"""Keeps secrets that stand in addresses out of the log."""

import logging
import re

SECRET_IN_PATH = re.compile(r"(/(?:invite|reset)/)[^/\s'\"?]+")


class MaskLinks(logging.Filter):
    """Replaces the secret of an invitation or reset link by an ellipsis."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the message in place; every record passes."""
        message = record.getMessage()
        masked = SECRET_IN_PATH.sub(r"\1…", message)
        if masked != message:
            record.msg, record.args = masked, None
        return True
