"""Clients of the web pages: one connection each, kept open, gzip as browsers ask for it."""

import http.client
import re
import threading
import time
import zlib
from dataclasses import dataclass, field
from urllib.parse import urlencode

from tests.bench.deployment import Deployment

_NEXT = re.compile(rb'data-next-url="([^"]+)"')
_ID = re.compile(rb'data-id="([^"]+)"')


@dataclass
class Answer:
    """A page: status, body as text bytes, bytes on the wire, where a redirect leads."""

    status: int
    body: bytes
    sent: int
    location: str = ""


class Visitor:
    """Somebody signed in."""

    def __init__(self, deployment: Deployment, session: str) -> None:
        self._address = deployment.address
        self._connection = http.client.HTTPConnection(*self._address)
        self.cookies = {"sessionid": session}

    def rest(self) -> None:
        """Let the connection go, as it goes while somebody thinks: the server keeps an idle one for two seconds."""
        self._connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        """One GET."""
        return self._ask("GET", path, None, headers)

    def post(self, path: str, form: dict[str, str], **headers: str) -> Answer:
        """One POST with the form's token."""
        body = urlencode({**form, "csrfmiddlewaretoken": self.cookies["csrftoken"]})
        return self._ask("POST", path, body, {**headers, "Content-Type": "application/x-www-form-urlencoded"})

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {
            "Cookie": cookies,
            "Accept-Encoding": "gzip",
            **{name.replace("_", "-"): headers[name] for name in headers},
        }
        try:
            self._connection.request(method, path, body, sent)
            response = self._connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionResetError):  # an idle connection is closed after two seconds
            self._connection.close()
            self._connection.request(method, path, body, sent)
            response = self._connection.getresponse()
        raw = response.read()
        for cookie in response.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        is_packed = response.headers.get("Content-Encoding") == "gzip"
        text = zlib.decompress(raw, 47) if is_packed else raw
        return Answer(response.status, text, len(raw), response.headers.get("Location", ""))


@dataclass
class Work:
    """What annotators did: seconds of every next item and every submit, in all and on the clock."""

    next_items: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)
    wall: float = 0.0

    @property
    def rate(self) -> float:
        """Labels a second, all clients together."""
        return len(self.submits) / self.wall


def label(deployment: Deployment, sessions: list[str], each: int) -> Work:
    """Let annotators read and label `each` items side by side, as the page does it, without a pause between."""
    work = Work()
    visitors = [Visitor(deployment, session) for session in sessions]
    starts = [_first_item(visitor) for visitor in visitors]
    threads = [
        threading.Thread(target=_label, args=(visitor, start, each, work))
        for visitor, start in zip(visitors, starts, strict=True)
    ]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work.wall = time.perf_counter() - begin
    return work


def _first_item(visitor: Visitor) -> str:
    path = visitor.get("/queue/next/").location
    page = visitor.get(path)
    if page.status != 200:
        raise RuntimeError(f"{path} answers {page.status}")
    return path


def _label(visitor: Visitor, path: str, each: int, work: Work) -> None:
    for _ in range(each):
        visitor.rest()
        start = time.perf_counter()
        item = visitor.get(path, HX_Request="true", HX_Target="item")
        shown = time.perf_counter()
        form = {"result": "yes", "noticed": "no", "result_evidence": "R2", "version": "0", "seconds": "3"}
        answer = visitor.post(f"{path}submit/", form, HX_Request="true", HX_Target="stage")
        if answer.status != 302:
            raise RuntimeError(f"{path}submit/ answers {answer.status}: {answer.body[:300]!r}")
        visitor.get(answer.location, HX_Request="true", HX_Target="stage")
        work.submits.append(time.perf_counter() - shown)
        work.next_items.append(shown - start)
        path = _NEXT.search(item.body)[1].decode()  # type: ignore[index]  # there are more items than are labelled
