#!/usr/bin/env python3
"""Reserves machines of a test lab.

    with berth.reserve(match={"os": "linux"}, tags={"rack": "4"}, minutes=30, wait="1h") as machine:
        connect(machine.host, machine.port)

It is also a plugin of pytest (`pytest -p berth`, fixture `machine`) and a library of Robot Framework
(`Library  berth.py`). Needs Python 3.9 or later and nothing else; BERTH_URL, and BERTH_TOKEN or BERTH_CREDENTIALS_FILE:
a file of mode 0600 with one line, a token, or a name, a colon and a password.
"""
from __future__ import annotations

import atexit
import base64
import contextlib
import datetime
import email.utils
import http.client
import itertools
import json
import logging
import os
import re
import signal
import sys
import threading
import time
import urllib.parse
import urllib.request
from typing import Any, Dict, Generator, Iterable, Iterator, List, Mapping, NamedTuple, NoReturn, Optional, Tuple, Union

__version__ = "2.1.0"
__all__ = ["reserve", "events", "api", "Machine", "Error", "Misuse", "Unreachable", "NoMachine", "Lost", "Refused"]
# Tracebacks of pytest end where a test calls this file.
__tracebackhide__ = True

Members = Dict[str, Any]
# Seconds, or a text like "90", "30m" or "1h30m".
Duration = Union[float, str]
_log = logging.getLogger("berth")


class LIMITS:
    # Times in seconds, which tests set.
    answer = 30.0  # for an answer, beyond what the service was asked to wait
    outage = 120.0  # while a service is asked again that cannot be reached or is not ready
    release = 20.0  # likewise when a machine is given back: the reservation ends by itself too
    retry = 1.0  # between two attempts, unless Retry-After says more
    retry_after = 60.0  # the longest Retry-After that is waited for
    wait = 30  # for which the service is asked to wait; proxies cut a request that is not answered for a minute
    port = 60.0  # for the port of a machine to open
    keep = 10.0  # the longest time between two looks at a reservation that is in use
    extend = 300.0  # with less than this left, a reservation is extended
    silence = 45.0  # the longest pause of a stream, which has a heartbeat every 15 s


_ANSWER_MAX = 16 * 1024 * 1024  # bytes; a page of a list has at most a thousand objects


def _visible(text: str) -> str:
    """A text in which nothing that a service or a machine says moves the cursor or is invisible."""
    shown = text if len(text) <= 2_000 else f"{text[:2_000]}…"
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in shown)


class Error(Exception):
    """Why something was not done. A refusal of the service has its `code`, `status`, `title` and all `details`."""

    exit_code = 1  # what a program may end with, as the client for Node does

    def __init__(self, message: str, answer: Optional[_Answer] = None) -> None:
        super().__init__(_visible(message))
        # The object of RFC 9457, with members such as `errors` and `next_available`.
        self.details: Members = {} if answer is None else answer.body
        self.status: Optional[int] = None if answer is None else answer.status
        self.code, self.title = self.details.get("code"), self.details.get("title")


class Misuse(Error):
    exit_code = 64  # a wrong argument, variable or credentials file


class Unreachable(Error):
    exit_code = 69  # the service, or the port of the machine, is out of reach; `code` says why it is not ready
    pause = 0.0  # seconds until it is worth while to try again, if the service said so
    is_foreign = False  # what answers is not Berth


class NoMachine(Error):
    exit_code = 75  # no machine is free in time


class Lost(Error):
    exit_code = 76  # the reservation is no longer in force


class Refused(Error):
    exit_code = 77  # the service refuses


class _Answer(NamedTuple):
    """An answer of the service: an object, or the reason why it refuses."""

    status: int
    body: Members
    text: str = ""  # as it came
    now: float = 0  # Unix seconds on the clock of the service
    kept_until: float = 0  # when the reservation is released unless it is kept alive

    def refusal(self, prefix: str = "") -> Refused:
        return Refused(f"{prefix}{self.status} {self.body.get('code')}: {self.body.get('detail')}", self)

    def is_over(self) -> bool:
        """Whether it means that the reservation is over. Other refusals are about who asks."""
        is_gone = self.body.get("code") in ("reservation_over", "reservation_cancelled", "reservation_not_found")
        return is_gone or self.body.get("state") in ("over", "released")

    def accepted(self) -> Members:
        if self.status >= 300:
            raise self.refusal()
        return self.body


def _checked(wanted: str, make: Any, *args: Any) -> Any:
    """What is made of an argument or a variable: a `Misuse` if Python finds it wrong, or it is `None`."""
    with contextlib.suppress(AttributeError, RecursionError, TypeError, ValueError):
        if (made := make(*args)) is not None:
            return made
    raise Misuse(wanted)


def _pause(seconds: float, stop: Optional[threading.Event] = None) -> None:
    if (stop or threading.Event()).wait(max(seconds, 0)):
        raise Unreachable("it is not needed any more")


_instant = datetime.datetime.fromisoformat  # before Python 3.11 not of a text that ends with Z
_TOKEN = re.compile(r"berth_[\w-]{1,128}", re.ASCII)  # the service has the exact form


def _read_credentials(path: str) -> str:
    """The line of a file that only its owner may read. Messages name the file, never its content."""
    try:
        if os.path.isfile(path) and os.stat(path).st_mode & 0o077:
            raise Misuse(f"{path} can be read by others; run: chmod 600 {path}")
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            text = re.sub(r"\r?\n\Z", "", file.read(4_096))
    except OSError as error:
        raise Misuse(f"{path} cannot be read: {error.strerror}") from None
    if _TOKEN.fullmatch(text) or re.fullmatch(r"[^:\r\n]+:[^\r\n]+", text):
        return text
    raise Misuse(f"{path} must hold one line: a name, a colon and a password, or a token")


def _read_target() -> Tuple[str, str]:
    """The address of the service, and the header that says who asks."""
    url, token, path = (os.environ.get(f"BERTH_{name}") for name in ("URL", "TOKEN", "CREDENTIALS_FILE"))
    if url is None or (token is None) == (path is None):
        raise Misuse("set BERTH_URL, and either BERTH_TOKEN or BERTH_CREDENTIALS_FILE")
    wanted = "BERTH_URL must be like https://berth.lab.example, without a user, a query and a fragment"
    parts = _checked(wanted, lambda: re.fullmatch(r'https?://[!"$->A-~]+', url) and urllib.parse.urlsplit(url))
    _checked(wanted, lambda: (parts.port != 0 and parts.hostname.encode("idna")) or None)  # else it seems an outage
    known = _read_credentials(str(path)) if token is None else token
    if token is not None and not _TOKEN.fullmatch(token):
        is_padded = _TOKEN.fullmatch(token.strip())
        wanted = "not have blanks or line ends" if is_padded else "be a token, which begins with berth_"
        raise Misuse(f"BERTH_TOKEN must {wanted}")
    basic = base64.b64encode(known.encode()).decode()
    return url.rstrip("/"), f"Bearer {known}" if _TOKEN.fullmatch(known) else f"Basic {basic}"


class _Service:
    """Sends requests, and repeats them with the same key until they are answered."""

    def __init__(self) -> None:
        self._url, self._authorization = _read_target()
        # Proxies and certificates as urllib has them. It follows no redirect, which would get the credentials.
        self._opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
            self._opener.add_handler(handler())
        # Whether it was Berth that answered: then something else, such as the page of a proxy, passes.
        self._is_known = False

    def request(
        self, method: str, path: str, body: bytes = b"", *, outage: Optional[float] = None, is_stream: bool = False,
        timeout: Optional[float] = None, stop: Optional[threading.Event] = None, headers: Mapping[str, str] = {},
    ) -> Any:  # fmt: skip
        """Asks until there is an answer, for `outage` seconds. An attempt may take `timeout` besides what it waits."""
        sent = {"Accept": "application/json", **{name.title(): value for name, value in headers.items()}}
        # A key of this request alone: a job that is run again must not go on with a machine that was given back.
        if method != "GET":
            sent.setdefault("Idempotency-Key", os.urandom(16).hex())
        wait = re.search(r"[?&]wait=(\d{1,3})(?:&|$)", path)
        within = (LIMITS.answer if timeout is None else timeout) + (int(wait[1]) if wait else 0)
        until = time.monotonic() + (LIMITS.outage if outage is None else outage)
        for tries in itertools.count():
            tried = self._attempt(method, path, body, sent, within, is_stream)
            if not isinstance(tried, Unreachable):
                self._is_known = True
                return tried
            pause = tried.pause or LIMITS.retry
            if (tried.is_foreign and not self._is_known) or time.monotonic() + pause > until:
                raise tried
            if tries == 0:
                _log.warning("%s; retrying", tried)
            _pause(pause, stop)

    def _attempt(self, method: str, path: str, body: bytes, headers: Members, within: float, is_stream: bool) -> Any:
        """An answer, the response itself of a stream that begins, or why there is none."""
        deadline = time.monotonic() + within
        request = urllib.request.Request(self._url + path, body or None, dict(headers), method=method)
        request.add_unredirected_header("Authorization", self._authorization)
        if body:
            request.add_header("Content-Type", "application/json")
        try:
            response = self._opener.open(request, timeout=within)
            if is_stream and response.status == 200:
                return response
            with response:
                return self._read(response, deadline, headers["Accept"])
        except (OSError, http.client.HTTPException) as error:
            reason: Any = getattr(error, "reason", error)
            texts = (getattr(reason, name, None) for name in ("verify_message", "strerror"))
            text = next(filter(None, texts), None) or str(reason) or repr(reason)
            # Of OpenSSL: certificates whose authority is not known. Others are of a wrong name or date.
            verified = getattr(reason, "verify_code", 0)
            if verified in (18, 19, 20, 21, 27):
                text += "; set SSL_CERT_FILE to a file with the certificate of its authority"
            return self._unreachable("no answer in time" if "timed out" in text else text, bool(verified))

    def _unreachable(self, why: str, is_foreign: bool = False) -> Unreachable:
        error = Unreachable(f"the service at {self._url} cannot be reached: {why}")
        error.is_foreign = is_foreign
        return error

    def _read(self, response: Any, deadline: float, accept: str) -> Union[_Answer, Unreachable]:
        """Proxies, and servers that are not Berth, answer with other things than objects and refusals with a code."""
        status, headers, content = response.status, response.headers, b""
        while not 300 <= status < 400 and (chunk := response.read(65_536)):
            content += chunk
            if len(content) > _ANSWER_MAX or time.monotonic() > deadline:
                raise OSError("the answer is too long" if len(content) > _ANSWER_MAX else "timed out")
        if response.length and not 300 <= status < 400:
            raise OSError("the answer was cut off")
        text = content.decode("utf-8", "replace")
        body = None
        with contextlib.suppress(ValueError):
            body = json.loads(text)
        code = body.get("code") if isinstance(body, dict) and status >= 400 else None
        # Of the service itself; nothing is counted from that of another server.
        now, kept_until = time.time(), float("inf")
        with contextlib.suppress(TypeError, ValueError):
            now = email.utils.parsedate_to_datetime(headers["Date"]).timestamp()
            kept_until = _instant((headers["Keepalive-Until"] or "").replace("Z", "+00:00")).timestamp()
        answer = _Answer(status, body if isinstance(body, dict) else {}, text, now, kept_until)
        is_uncertain = code in ("unavailable", "outcome_unknown", "idempotency_in_progress")
        if is_uncertain or status >= 500 or status in (408, 429):
            error = self._unreachable(f"its status is {status}")
            if isinstance(code, str):
                error = Unreachable(str(answer.refusal()), answer)
            if re.fullmatch(r"\d{1,9}", headers["Retry-After"] or ""):
                error.pause = min(float(headers["Retry-After"]), LIMITS.retry_after)
            return error
        is_text = status < 300 and accept != "application/json"
        if is_text or isinstance(code, str) or (status < 300 and isinstance(body, dict)):
            return answer
        moved = f" and it leads to {headers['Location']}" if headers["Location"] else ""
        return self._unreachable(f"what answers is not Berth; its status is {status}{moved}", True)


def api(method: str, path: str, body: Any = None, *, headers: Mapping[str, str] = {}) -> Any:
    """Asks the service, and returns the object of its answer; with another `Accept` among the headers a text."""
    _checked("path must begin with / and be percent-encoded, like /api/sut?os=linux", re.fullmatch, r"/[!-~]*", path)
    form = r"[A-Za-z]+(\0[!-9;-~]+\0[ -~]*)*"
    _checked("method or headers are wrong", lambda: re.fullmatch(form, "\0".join(sum(headers.items(), (method,)))))
    data = b"" if body is None else _checked("body must be JSON", json.dumps, body).encode()
    answer = _Service().request(method.upper(), path, data, headers=headers)
    return answer.accepted() or answer.text


_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def _seconds(value: Duration, name: str) -> int:
    """Whole seconds of a duration, or of minutes."""
    text = f"{value:f}" if isinstance(value, (int, float)) else str(value)
    if re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        return round(float(text) * 60) if name == "minutes" else int(float(text))
    if name == "minutes" or not re.fullmatch(r"(?:\d{1,9}[dhms])+", text):
        raise Misuse(f"{name} must be {'a number, like 30' if name == 'minutes' else 'like 30m, 2h or 1h30m'}")
    return sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"(\d+)([dhms])", text))


_CRITERIA = 'match, tags and without must be like {"os": "linux"}'
_FIELDS = ("sut_type", "manufacturer", "model", "os", "version", "name")


def _criteria(args: Iterable[str], option: str) -> Members:
    """Criteria of arguments like `os=windows`, `tag.rack=3,4` and `os!`. A backslash makes a comma part of a value."""
    found: Dict[str, Members] = {"": {}, "tags": {}}
    for arg in args:
        parts = re.fullmatch(r"(?:([^=]+)!|([^=]+)=(.*))", arg, re.DOTALL)
        if parts is None:
            raise Misuse(f"{option} must be like os=windows, tag.rack=3,4 or os!")
        lacking, key = parts[1], parts[1] or parts[2]
        is_tag = key.startswith("tag.") and len(key) > len("tag.")
        if not is_tag and key not in _FIELDS:
            raise Misuse(f"{option}: {key} is none of {', '.join(_FIELDS)} and tag.NAME")
        members, name = (found["tags"], key[len("tag.") :]) if is_tag else (found[""], key)
        if name in members:
            raise Misuse(f"{option} has {key} twice; write {key}=ONE,OTHER if either will do")
        values = [value.strip().replace("\\,", ",") for value in re.split(r"(?<!\\),", parts[3] or "")]
        # An empty value is more often a variable that is not set.
        if not lacking and "" in values:
            raise Misuse(f"{option} has an empty value for {key}; write {key}! for a machine that has none")
        members[name] = None if lacking else values[0] if len(values) == 1 else values
    return {**found[""], **({"tags": found["tags"]} if found["tags"] else {})}


def reserve(
    match: Optional[Mapping[str, Any]] = None, *, tags: Optional[Mapping[str, Any]] = None,
    without: Optional[Mapping[str, Any]] = None, minutes: float, wait: Duration = 0, priority: Optional[int] = None,
    keepalive: Duration = "2m", extend: Optional[Duration] = None, reason: Optional[str] = None,
) -> Machine:  # fmt: skip
    """Reserves any machine that fits, and waits until its port is open.

    All criteria of `match` and `tags` must hold, like {"os": ["linux", "bsd"], "version": None} and {"rack": "4"}, and
    none of `without`. `wait` is for the queue, `keepalive` how long the reservation outlives this program if that is
    killed, and `extend` by how much it is extended whenever less than five minutes are left.
    """
    wanted = _checked(_CRITERIA, dict, match or {})
    for name, more in (("tags", tags or {}), ("not", without or {})):
        if more:
            wanted[name] = _checked(_CRITERIA, lambda: {**(wanted.get(name) or {}), **more})
    if not wanted:
        raise Misuse("match is missing")
    body: Members = {"match": wanted, "duration": _seconds(minutes, "minutes")}
    body.update(wait=_seconds(wait, "wait"), keepalive=_seconds(keepalive, "keepalive"))
    if priority is not None:
        body["priority"] = priority
    headers = {} if reason is None else {"Berth-Reason": _checked("reason must be a text", urllib.parse.quote, reason)}
    by = None if extend is None else _checked("extend must be above 0", lambda: _seconds(extend or 0, "extend") or None)
    return Machine(body, by, headers)


_NOT_IN_FORCE = "the reservation is no longer in force"
_PORT_ERRORS = {
    "port_taken": "another program on the machine of the service has it",
    "port_unusable": "the system of the service refuses to open it",
}
# What is to be given back before this process ends. Signals come between any two instructions, so there is no lock.
_live: List[Machine] = []
_handlers: Dict[int, Tuple[Any, Any]] = {}  # by signal: the handler of this file, and what the program had before


class Machine:
    """A machine that is reserved, kept alive by a thread. A context manager; without `with` call `release`."""

    def __init__(self, body: Members, extend: Optional[int], headers: Mapping[str, str]) -> None:
        self._service, self._extend, self._headers = _Service(), extend, headers
        self._body: bytes = _checked("criteria and priority must be JSON", json.dumps, body).encode()
        self._keepalive, self._wait = int(body["keepalive"]), int(body["wait"])
        # Set as soon as the reservation is no longer in force. For a long block: `machine.lost.wait(1)`.
        self.lost = threading.Event()
        # As the service last showed them: `_id`, `name`, `os`, `tags`; `_id`, `start_time`, `end_time` and so on.
        self.sut: Members = {}
        self.reservation: Members = {}
        # The retry key of the request while it may have been recorded, then its id, then that of the reservation.
        self._key = self._request_id = self._id = ""
        self._place = ("", 0)
        self._done, self._is_released = threading.Event(), False
        self._why: Optional[Lost] = None
        self._refusal: Optional[_Answer] = None
        self._said: Dict[str, str] = {}
        # On the monotonic clock: the planned end, and until when it is in force if nothing keeps it alive any more.
        self._end = self._in_force = float("inf")
        self._watch()
        try:
            self._id = self._obtain()
            self._begin()
            self._place = self._open_port()
        except BaseException:
            self.release()
            raise

    @property
    def host(self) -> str:
        self.check()
        return self._place[0]

    @property
    def port(self) -> int:
        self.check()
        return self._place[1]

    def check(self) -> None:
        """Raises `Lost` if the reservation is no longer in force."""
        why = self._loss() or (Lost("the machine was given back") if self._done.is_set() else None)
        if why is not None:
            raise why.with_traceback(None)

    def release(self) -> None:
        """Gives the machine back. Logs if that fails: it is then free by itself. May be called again."""
        if self._is_released:
            return
        self._done.set()
        try:
            self._leave()
        except Exception as error:
            _log.warning("the machine cannot be given back: %s; it is free by itself in %s s", error, self._keepalive)
        self._is_released = True
        self._unwatch()

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        why = self._loss()
        self.release()
        # What the loss of the machine has led to says less than the loss.
        if why is not None and (error is None or (isinstance(error, Exception) and not isinstance(error, Error))):
            raise why.with_traceback(None) from error
        # Also where the block has ended well: one has to learn that the token must be renewed.
        if error is None and self._refusal is not None:
            raise self._refusal.refusal("the block has ended, but the service refuses: ")

    def _loss(self) -> Optional[Lost]:
        has_ended = not self._done.is_set() and time.monotonic() >= self._end
        return self._why or (Lost(f"{_NOT_IN_FORCE}: it has ended") if has_ended else None)

    def _say(self, about: str, text: str, level: int = logging.WARNING) -> None:
        """Says a text, unless it is the same as last time."""
        if text and self._said.get(about) != text:
            _log.log(level, "%s", _visible(text))
        self._said[about] = text

    def _watch(self) -> None:
        """Gives back at a signal that would end the program, and ends it then. A handler of its own decides instead."""

        def handle(number: int, frame: Any) -> None:
            if callable(had[number]):
                had[number](number, frame)
            else:
                signal.signal(number, signal.SIG_IGN)
                _give_back_all()
                signal.signal(number, signal.SIG_DFL)
                os.kill(os.getpid(), number)

        _live.append(self)
        if not _handlers and threading.current_thread() is threading.main_thread():
            numbers = [getattr(signal, name, signal.SIGTERM) for name in ("SIGTERM", "SIGHUP")]
            had: Dict[int, Any] = {number: signal.getsignal(number) for number in numbers}
            # One that is ignored stays so, and None is not Python's.
            for number in [each for each in had if had[each] not in (None, signal.SIG_IGN)]:
                _handlers[number] = (handle, had[number])
                signal.signal(number, handle)

    def _unwatch(self) -> None:
        with contextlib.suppress(ValueError):
            _live.remove(self)
        if not _live and threading.current_thread() is threading.main_thread():
            for number, (handle, before) in _handlers.items():
                # Unless the program has set another since.
                if signal.getsignal(number) is handle:
                    signal.signal(number, before)
            _handlers.clear()

    def _obtain(self) -> str:
        """Asks for a machine, and waits in the queue. Returns the id of the reservation."""
        self._key = os.urandom(16).hex()
        try:
            answer = self._ask()
            if answer.body.get("code") == "no_sut_free":
                raise NoMachine(str(answer.body.get("detail")), answer)
            request = answer.accepted()
        except Error:
            self._key = ""
            raise
        self._request_id, wait = str(request["_id"]), 0
        # Who waits for a machine waits for the service, too.
        outage = max(LIMITS.outage, self._wait)
        while request["status"] == "waiting":
            asked, path = time.monotonic(), f"/api/sut_request/{self._request_id}?wait={wait}"
            request = self._service.request("GET", path, outage=outage).accepted()
            if request["status"] == "waiting":
                expected = f", expected at {request['expected_at']}" if request.get("expected_at") else ""
                place = f"waiting as number {request.get('position', 0) + 1} in the queue{expected}"
                self._say("place", f"{place}: {' '.join(request.get('waits_for', []))}", logging.INFO)
                # A service with too many that wait, or that stops, answers at once.
                if wait > 0 and time.monotonic() - asked < LIMITS.retry:
                    _pause(LIMITS.retry)
            wait = LIMITS.wait
        if request["status"] == "granted":
            return str(request["sut_reservation_id"])
        self._key = ""
        if request["status"] == "withdrawn":
            raise Refused("the request was withdrawn")
        is_retired = request.get("cause") == "retired"
        raise NoMachine("the machine was retired" if is_retired else "no machine became free in time")

    def _ask(self, outage: Optional[float] = None) -> Any:
        headers = {**self._headers, "Idempotency-Key": self._key}
        return self._service.request("POST", "/api/sut_request/create", self._body, outage=outage, headers=headers)

    def _leave(self) -> None:
        """Withdraws the request, or gives back what was granted."""
        post, outage = self._service.request, LIMITS.release
        if not self._id and self._key:
            # Interrupted before its answer: the same key leads to the same request.
            self._request_id = self._request_id or str(self._ask(outage).accepted()["_id"])
            answer = post("POST", f"/api/sut_request/{self._request_id}/withdraw", outage=outage)
            self._id = answer.body.get("sut_reservation_id") or ""
        if self._id:
            answer = post("POST", f"/api/sut_reservation/{self._id}/cancel", outage=outage)
            if not str(answer.body.get("code")).startswith("reservation_"):
                answer.accepted()

    def _begin(self) -> None:
        """Reads what was granted, and keeps it alive from now on."""
        self._note(self._service.request("GET", f"/api/sut_reservation/{self._id}"))
        self.sut = self._service.request("GET", f"/api/sut/{self.reservation['sut_id']}").accepted()
        until = f"{self.reservation['end_time']}, reservation {self._id}"
        self._say("reserved", f"reserved {self.sut.get('name')} until {until}", logging.INFO)
        threading.Thread(target=self._keep, name=f"berth {self._id}", daemon=True).start()

    def _note(self, answer: _Answer) -> None:
        """Times are counted from the service's own, by its Date: the clock of this computer may be wrong."""
        offset = time.monotonic() - answer.now
        self.reservation = answer.accepted()
        self._end = offset + _instant(self.reservation["end_time"].replace("Z", "+00:00")).timestamp()
        # A second early: the service says its time in seconds.
        self._in_force = min(self._end, offset + answer.kept_until - 1)

    def _open_port(self) -> Tuple[str, int]:
        """Waits until the port of the reservation is open for this address."""
        path, until, wait = f"/api/sut_reservation/{self._id}", time.monotonic() + LIMITS.port, 0
        # At first without waiting: what is known already is said at once.
        while True:
            self.check()
            found = self._service.request("GET", f"{path}/connection?wait={wait}").accepted()
            if found["host"] is None:
                raise Unreachable("this instance does not forward the machine; ask one that does")
            if found["open"] is True:
                # Its port lets nobody else in.
                if found.get("bound_here") is False:
                    self._service.request("POST", f"{path}/update").accepted()
                if unused := found.get("released_unused_at"):
                    self._say("unused", f"the machine is released at {unused} unless somebody has connected by then")
                return str(found["host"]), int(found["port"])
            problem = _PORT_ERRORS.get(str((found.get("last_error") or {}).get("cause")), "")
            if time.monotonic() > until:
                raise Unreachable(f"the port of the machine does not open{problem and ': '}{problem}")
            self._say("port", problem and f"the port {found['port']} of the machine is not open yet: {problem}")
            # The service answers at once for a reservation that is over.
            if wait > 0:
                _pause(LIMITS.retry)
            wait = LIMITS.wait

    def _keep(self) -> None:
        try:
            self._keep_alive()
        except Exception as error:
            if not self._done.is_set():
                self._why = error if isinstance(error, Lost) else Lost(f"{_NOT_IN_FORCE}: {error}")
                self.lost.set()

    def _keep_alive(self) -> NoReturn:
        # A request without an answer must not lose it: there is time for another.
        quarter, path = self._keepalive / 4, f"/api/sut_reservation/{self._id}"
        every, timeout = min(LIMITS.keep, quarter), min(LIMITS.answer, quarter)
        # At once: connections do not keep what has had a heartbeat, whatever a client that is killed leaves behind.
        within = 0.0
        while True:
            self._wait_until_over(within)
            within = every
            if _controller and os.getppid() not in _controller:
                os.kill(os.getpid(), signal.SIGTERM)
            # No outage ends it before its time: a service that is down releases nothing.
            asked: Members = {"stop": self._done, "outage": self._end - time.monotonic(), "timeout": timeout}
            kept = self._service.request("POST", f"{path}/keepalive", **asked)
            if kept.is_over():
                raise Lost(f"{_NOT_IN_FORCE}: {kept.body.get('detail')}", kept)
            self._refusal = None if kept.status < 300 else kept
            if self._refusal is None:
                self._note(kept)
                if self._extend is not None and self._end - time.monotonic() <= LIMITS.extend:
                    kept = self._service.request("POST", f"{path}/extend", b'{"by": %d}' % self._extend, **asked)
                    if kept.status < 300:
                        self._note(kept)
                    else:
                        self._say("extend", f"the reservation cannot be extended: {kept.body.get('detail')}")
                continue
            left = self._in_force - time.monotonic()
            self._say("refusal", f"{kept.refusal()}; the machine is yours for {max(round(left), 0)} s at most")
            if left <= every:
                _pause(left, self._done)
                raise Lost(f"the reservation can no longer be kept alive: {kept.refusal()}", kept)

    def _wait_until_over(self, within: float) -> None:
        """Waits so long, or until the reservation is over. Whether it is shows when it is kept alive."""
        until, path = time.monotonic() + within, f"/api/sut_reservation/{self._id}?include=state&wait={int(within)}"
        with contextlib.suppress(Unreachable):
            if within >= 1 and self._service.request("GET", path, stop=self._done, outage=0, timeout=1).is_over():
                return
        _pause(until - time.monotonic(), self._done)


def _give_back_all() -> None:
    for machine in reversed(list(_live)):
        with contextlib.suppress(BaseException):  # none keeps another, or a signal the program
            machine.release()


def _forget() -> None:
    """In a forked child: the parent alone keeps its machines alive and gives them back."""
    for machine in _live:
        machine._is_released, machine._end = True, float("inf")
    _live.clear()


atexit.register(_give_back_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def events(
    after: Optional[str] = None, *, follow: bool = True, outage: Optional[float] = None, **filters: Any
) -> Generator[Members, None, None]:
    """Iterates the feed as CloudEvents, and resumes it by itself without a gap or a repeat.

    It begins after a `sequence`, "latest" or the beginning, and waits for what happens unless `follow` is False.
    `outage` is in seconds; filters are those of the feed, such as type=["ReservationCreated"], sut_id and from_.
    """
    service, query = _Service(), {name.rstrip("_"): value for name, value in filters.items()}

    def path(**more: Any) -> str:
        wanted = {**query, **({"after": after} if after else {}), **more}
        return f"/api/events?{_checked('filters must be texts', urllib.parse.urlencode, wanted, True)}"

    def lines(response: Any) -> Iterator[Members]:
        rest = b""
        # What is not a whole line was not received.
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            while (chunk := response.read1(65_536)) and len(rest) < _ANSWER_MAX:
                *whole, rest = (rest + chunk).split(b"\n")
                yield from (json.loads(line) for line in whole if line)

    if after == "latest":
        # A stream that is cut before its first event is resumed at this place, not at the end of then.
        after = service.request("GET", path(limit=1), outage=outage).accepted()["next"]
    asked: Members = {"outage": outage, "timeout": LIMITS.silence, "headers": {"Accept": "application/x-ndjson"}}
    while True:
        response = service.request("GET", path(**({"follow": "true"} if follow else {})), is_stream=True, **asked)
        if isinstance(response, _Answer):
            raise response.refusal()
        with response:
            for line in lines(response):
                if "specversion" in line:
                    after = line["sequence"]
                    yield line
                elif "checkpoint" in line:
                    after = line["checkpoint"]["sequence"] or after
                    if not follow:
                        return
                elif line["error"]["code"] == "another_log":
                    raise Refused(f"another_log: {line['error'].get('detail')}", _Answer(409, line["error"]))
        _pause(LIMITS.retry)


# The plugin of pytest: `pytest -p berth`, or `pytest_plugins = ["berth"]` in conftest.py.
_pytest: Any = sys.modules.get("pytest")
_controller: List[int] = []  # the process that a worker of xdist is of no use without
_OPTIONS: Dict[str, Tuple[str, Members]] = {
    "match": ("a criterion that the machine must meet, like os=linux; repeatable", {"action": "append"}),
    "tag": ("likewise a tag, like rack=4; repeatable", {"action": "append"}),
    "minutes": ("how long the machine is needed; 30 unless given", {"type": float, "default": 30}),
    "wait": ("how long to wait in the queue, like 1h; not at all unless given", {"default": "0"}),
    "extend": ("extends the reservation by this whenever less than five minutes are left", {}),
    "keepalive": ("how long the reservation outlives a killed pytest; 2m unless given", {"default": "2m"}),
    "scope": ("how long a machine is kept", {"choices": ("session", "class", "function"), "default": "session"}),
    "required": ("tests without a machine fail, instead of being skipped", {"action": "store_true"}),
}


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("berth", "machines of a test lab (berth.py)")
    for name, (text, how) in _OPTIONS.items():
        group.addoption(f"--berth-{name}", dest=f"berth_{name}", help=text, **how)


def _wanted(config: Any, marker: Any = None) -> Members:
    """The arguments of `reserve` for a test: what its marker says goes first."""
    options = {name: config.getoption(f"berth_{name}") for name in _OPTIONS}
    args = [*(options["match"] or []), *(f"tag.{tag}" for tag in options["tag"] or [])]
    criteria, marked = _criteria(args, "--berth-match"), {}
    if marker is not None:
        marked = {**dict(zip(["match"], marker.args)), **marker.kwargs}
    match = _checked(_CRITERIA, lambda: {**criteria, **marked.pop("match", {})})
    tags = _checked(_CRITERIA, lambda: {**criteria.get("tags", {}), **match.get("tags", {}), **marked.pop("tags", {})})
    more = {name: options[name] for name in ("minutes", "wait", "extend", "keepalive")}
    return {**more, **marked, "match": match, "tags": tags}


def pytest_configure(config: Any) -> None:
    text = "machine(match=..., tags=..., without=..., minutes=..., wait=..., extend=...): the machine that a test needs"
    config.addinivalue_line("markers", text)
    try:
        _wanted(config)
    except Misuse as error:
        raise _pytest.UsageError(str(error)) from None
    config._berth_wanted = []
    _controller.extend([os.getppid()] if hasattr(config, "workerinput") else [])

    def emit(record: logging.LogRecord) -> None:
        reporter, capture = map(config.pluginmanager.get_plugin, ("terminalreporter", "capturemanager"))
        if reporter and capture and threading.current_thread() is threading.main_thread():
            with capture.global_and_fixture_disabled():
                reporter.ensure_newline()
                reporter.write_line(f"berth: {record.getMessage()}")

    # Who waits for what is shown at once, past what pytest captures. Of other threads it stays in the captured log.
    handler = logging.Handler(logging.INFO)
    setattr(handler, "emit", emit)
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    config.add_cleanup(lambda: _log.removeHandler(handler))


def pytest_generate_tests(metafunc: Any) -> None:
    """A test that is marked gets a machine of its own kind, which those that want the same share."""
    marker, config = metafunc.definition.get_closest_marker("machine"), metafunc.config
    if marker is not None and "machine" in metafunc.fixturenames:
        wanted = _wanted(config, marker)
        # pytest compares parameters by identity.
        known = next((each for each in config._berth_wanted if each == wanted), wanted)
        config._berth_wanted.append(known)
        metafunc.parametrize("machine", [known], indirect=True, scope=config.getoption("berth_scope"))


def _machine(request: Any) -> Iterator[Machine]:
    """A machine of the lab, reserved for the session, class or test: `host`, `port`, `sut`, `reservation`."""
    config, error = request.config, None
    try:
        machine = reserve(**(getattr(request, "param", None) or _wanted(config)))
    except Error as caught:
        error = caught
    if error is not None:
        # Once is enough to wait for a service that is not there.
        LIMITS.outage = 0 if isinstance(error, Unreachable) else LIMITS.outage
        is_wrong = isinstance(error, Misuse) and "BERTH_URL" in os.environ
        give_up = _pytest.fail if is_wrong or config.getoption("berth_required") else _pytest.skip
        give_up(f"no machine: {error}", **({"pytrace": False} if give_up is _pytest.fail else {}))
    with machine:
        yield machine


def _look_at_machine(item: Any) -> None:
    """Names the machine in the report of a test, which counts only if nobody else had the machine meanwhile."""
    machine = getattr(item, "funcargs", {}).get("machine")
    if isinstance(machine, Machine):
        named = {"machine": machine.sut["name"], "machine_id": machine.sut["_id"], "reservation_id": machine._id}
        item.user_properties.extend(each for each in named.items() if each not in item.user_properties)
        machine.check()


if _pytest is not None:
    pytest_runtest_setup = pytest_runtest_call = _pytest.hookimpl(trylast=True)(_look_at_machine)
    _fixture = _pytest.fixture(name="machine", scope=lambda config, **_: config.getoption("berth_scope"))(_machine)


class berth:
    """The library of Robot Framework, which looks for a class with the name of the file: `Library  berth.py`."""

    ROBOT_LIBRARY_SCOPE = "SUITE"
    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self) -> None:
        self.ROBOT_LIBRARY_LISTENER = self
        self._reserved: List[Machine] = []

    def reserve_machine(
        self, *criteria: str, minutes: float = 30, wait: str = "0", extend: Optional[str] = None, keepalive: str = "2m"
    ) -> Machine:
        """Reserves any machine that meets the criteria, and waits for its port. Named arguments come after them.

        | ${machine} =    Reserve Machine    os=linux    tag.rack=3,4    minutes=45    wait=1h
        | Connect    ${machine.host}    ${machine.port}
        """
        match = _criteria(criteria, "Reserve Machine")
        self._reserved.append(reserve(match, minutes=minutes, wait=wait, extend=extend, keepalive=keepalive))
        return self._reserved[-1]

    def release_machine(self, machine: Optional[Machine] = None) -> None:
        """Gives a machine back: the one reserved last unless given. Fails if it was lost meanwhile."""
        if machine is None and not self._reserved:
            raise Misuse("no machine is reserved")
        given = machine or self._reserved[-1]
        self._reserved = [each for each in self._reserved if each is not given]
        given.__exit__(None, None, None)

    def _close(self) -> None:
        """The suite is over."""
        while self._reserved:
            self._reserved.pop().release()
