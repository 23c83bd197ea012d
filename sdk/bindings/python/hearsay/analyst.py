"""Asks an aggregator for estimates and tallies. Needs nothing but Python's standard library."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import re
import ssl
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Iterable, Sequence

from ._arguments import encoded, invalid, milliseconds
from .errors import HearsayError

_TASK_ID = re.compile(r"[A-Za-z0-9_-]{43}")
_SERVER = re.compile(r"https://(?:\[([0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|([\w.-]+))(?::([0-9]{1,9}))?/?", re.IGNORECASE)
_MAX_ANSWER_BYTES = 1 << 30


@dataclass(frozen=True)
class TaskSummary:
    """A task that an aggregator holds."""

    task: str
    title: str
    closed_at: int | None
    """Seconds since 1970, or None while the task takes reports."""
    reports: int
    windows: int


@dataclass(frozen=True)
class Estimate:
    """The answer to one query, or why there is none.

    If `error` is not None, the numbers are NaN. Values are never clipped: the estimate of a small fraction can be
    negative.
    """

    query: str
    value: float = float("nan")
    standard_error: float = float("nan")
    normal: tuple[float, float] = (float("nan"), float("nan"))
    guaranteed: tuple[float, float] = (float("nan"), float("nan"))
    guarantee: str = ""
    """"worst-case": unbiased for every population. "average-case": unbiased only for random populations."""
    influence: float = float("nan")
    """The largest change of the value that one lying report can cause."""
    projected: float | None = None
    """With `project=True`: a value that is consistent with all other answers of the request. Biased near 0 and 1."""
    warnings: list[str] = field(default_factory=list)
    error: HearsayError | None = None


@dataclass(frozen=True)
class Table:
    """The contingency table of some attributes, or why there is none."""

    attributes: list[str]
    sizes: list[int] = field(default_factory=list)
    """The number of values of each attribute."""
    values: list[float] = field(default_factory=list)
    """One fraction for each cell; the last attribute's value changes fastest."""
    standard_errors: list[float] = field(default_factory=list)
    quantile: float = float("nan")
    """The interval of a cell is value ± quantile · standard error."""
    projected: list[float] | None = None
    warnings: list[str] = field(default_factory=list)
    error: HearsayError | None = None


@dataclass(frozen=True)
class Window:
    """A task's tally in one window of time, in exact integers."""

    time: int
    """The start of the window, in seconds since 1970."""
    reports: int
    answers: list[tuple[int, int, int]] = field(default_factory=list)
    """For the channel `sampled`: the group, the answer, and the number of reports with this answer."""
    sums: list[int] = field(default_factory=list)
    """For the channel `laplace`: the sum of each coordinate over the reports."""
    sums_of_squares: list[int] = field(default_factory=list)


class Analyst:
    """A connection to one aggregator.

    >>> analyst = Analyst("https://aggregator.example", token_file="analyst.token")
    >>> for answer in analyst.estimates(task, ["smoker", "smoker and age in 18..29"]):
    ...     print(answer.query, answer.value, answer.standard_error)

    The server's certificate must be for the host, and from an authority that the system or `ca_file` trusts. The token
    comes from `token_file` or from the environment variable HEARSAY_TOKEN. Every call can raise HearsayError.
    Use an Analyst from one thread at a time. Do not use an Analyst of the parent in a child made by os.fork(): both
    would write into one TLS connection. Make a new Analyst in the child.
    """

    def __init__(
        self,
        server: str,
        *,
        ca_file: str | None = None,
        token_file: str | None = None,
        timeout: float = 90.0,
    ) -> None:
        """Opens no connection yet. `timeout` is in seconds, at least 0.001, for each step of an exchange.

        Raises HearsayError "invalid_argument" or "io".
        """
        host, port = _host_and_port(server)
        milliseconds(timeout, "timeout", 1)
        if ca_file is not None:
            encoded(ca_file, "ca_file")
        try:
            context = ssl.create_default_context(cafile=ca_file)
        except (OSError, ssl.SSLError) as wrong:
            raise HearsayError("io", f"cannot use the authorities in '{ca_file}': {wrong}") from wrong
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=context)
        self._token = _read_token(token_file)

    def __enter__(self) -> Analyst:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection. A later call opens it again."""
        self._connection.close()

    def tasks(self) -> list[TaskSummary]:
        """Returns all tasks of the aggregator. Needs an analyst's or an administrator's token."""
        return [
            TaskSummary(task["task"], task["title"], task["closed_at"], task["reports"], task["windows"])
            for task in self._get("/v1/tasks")["tasks"]
        ]

    def task(self, task: str) -> dict[str, Any]:
        """Returns the task's document: schema, arrangement, channel, ε and lifetime."""
        return self._get(f"/v1/tasks/{_task_id(task)}")

    def estimates(
        self,
        task: str,
        queries: Iterable[str],
        *,
        confidence: float = 0.95,
        start: int | None = None,
        end: int | None = None,
        project: bool = False,
    ) -> list[Estimate]:
        """Answers queries, in their order. If the task cannot answer a query, its Estimate has an `error`.

        `start` and `end` (seconds since 1970, multiples of the task's time_precision) choose windows in [start, end).
        """
        request = _request(confidence, start, end, project)
        request["queries"] = _list_of(queries, "queries", "queries")
        return [_estimate(one) for one in self._ask(task, request)["estimates"]]

    def tables(
        self,
        task: str,
        tables: Iterable[Sequence[str]],
        *,
        confidence: float = 0.95,
        start: int | None = None,
        end: int | None = None,
        project: bool = False,
    ) -> list[Table]:
        """Returns contingency tables, each given by the names of its attributes. Windows and errors are as in
        estimates().

        If one of the tables names an attribute that the task lacks, the whole request fails with HearsayError
        "unknown_attribute".
        """
        request = _request(confidence, start, end, project)
        request["tables"] = [_list_of(table, "a table", "names") for table in _list_of(tables, "tables", "tables")]
        return [_table(one) for one in self._ask(task, request)["tables"]]

    def tally(self, task: str, *, start: int | None = None, end: int | None = None) -> list[Window]:
        """Returns the tally, the exact integers from which all estimates follow, one Window for each window of time.

        The aggregator answers in pages. While the task takes reports, each page shows the tally at another moment.
        """
        query = urllib.parse.urlencode({k: v for k, v in (("from", start), ("to", end)) if v is not None})
        path: str | None = f"/v1/tasks/{_task_id(task)}/tally" + ("?" + query if query else "")
        windows: dict[int, Window] = {}
        while path is not None:
            page = self._get(path)
            for one in page["windows"]:
                window = windows.setdefault(one["time"], Window(one["time"], int(one["reports"])))
                window.answers.extend((int(g), int(a), int(n)) for g, a, n in one.get("answers", []))
                window.sums.extend(int(x) for x in one.get("sum", []))
                window.sums_of_squares.extend(int(x) for x in one.get("sum_of_squares", []))
            path = page.get("next")
        return list(windows.values())

    def _ask(self, task: str, request: dict[str, Any]) -> Any:
        return self._exchange("POST", f"/v1/tasks/{_task_id(task)}/estimates", json.dumps(request, allow_nan=False))

    def _get(self, path: str) -> Any:
        return self._exchange("GET", path, None)

    def _exchange(self, method: str, path: str, body: str | None) -> Any:
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        status, text = self._send(method, path, body, headers)
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if status != 200:
            raise _refusal(status, answer)
        if not isinstance(answer, dict):
            raise HearsayError("malformed_json", "the answer is no JSON object: check that an aggregator runs there", status)
        return answer

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[int, bytes]:
        # The server may have closed the idle connection. Then a second attempt uses a new connection: repeating a call
        # does no harm.
        for last in (False, True):
            reused = self._connection.sock is not None
            try:
                self._connection.request(method, path, body.encode() if body is not None else None, headers)
                response = self._connection.getresponse()
                text = response.read(_MAX_ANSWER_BYTES + 1)
                if len(text) > _MAX_ANSWER_BYTES:
                    self._connection.close()
                    raise HearsayError("limit_exceeded", "the answer has more than 1 GiB; ask for fewer windows")
                return response.status, text
            except ssl.SSLError as wrong:
                self._connection.close()
                raise HearsayError("tls_failed", str(wrong)) from wrong
            except TimeoutError as wrong:
                self._connection.close()
                raise HearsayError("timed_out", f"no answer within {self._connection.timeout} seconds") from wrong
            except (OSError, http.client.HTTPException) as wrong:
                self._connection.close()
                if last or not reused:
                    raise HearsayError("connection_failed", str(wrong) or type(wrong).__name__) from wrong
        raise AssertionError("not reached")


def to_frame(rows: Sequence[Any]) -> Any:
    """Returns the answers of an Analyst as a pandas DataFrame, one row for each answer. Needs pandas."""
    import dataclasses

    import pandas

    return pandas.DataFrame([dataclasses.asdict(row) for row in rows])


def _host_and_port(server: str) -> tuple[str, int]:
    parts = _SERVER.fullmatch(server)
    if parts is None:
        # The text may hold a password, so the message does not repeat the text.
        raise invalid("the server must be written https://HOST or https://HOST:PORT, without a user, a path or a query")
    address, name, port = parts[1], parts[2], int(parts[3] or 443)
    if not 1 <= port <= 65_535:
        raise invalid(f"the port of '{server}' must be from 1 to 65535")
    try:
        if address:
            ipaddress.IPv6Address(address)
        else:
            name.encode("idna")
    except ValueError as wrong:
        raise invalid(f"the host of '{server}' is no name and no address: {wrong}") from wrong
    return address or name, port


def _list_of(values: Iterable[Any], what: str, of: str) -> list[Any]:
    # A text is a sequence in Python, so without this check each character would count as an entry.
    if isinstance(values, (str, bytes)):
        raise invalid(f"{what} must be a list of {of}, not one text; write [{values!r}]")
    return list(values)


def _read_token(token_file: str | None) -> str:
    if token_file is None:
        token = os.environ.get("HEARSAY_TOKEN", "")
    else:
        encoded(token_file, "token_file")
        try:
            with open(token_file, encoding="ascii") as file:
                token = file.read().strip()
        except (OSError, UnicodeError) as wrong:
            raise HearsayError("io", f"cannot read the token in '{token_file}': {wrong}") from wrong
    if not all("!" <= c <= "~" for c in token):
        raise HearsayError("invalid_argument", "the token holds characters that no token has")
    return token


def _task_id(task: str) -> str:
    if not _TASK_ID.fullmatch(task):
        raise HearsayError("invalid_argument", "a task id is 43 characters of base64url")
    return task


def _request(confidence: float, start: int | None, end: int | None, project: bool) -> dict[str, Any]:
    if not 0 < confidence < 1:
        raise invalid(f"confidence is {confidence}; it must be between 0 and 1, for example 0.95")
    request: dict[str, Any] = {"confidence": confidence}
    if start is not None:
        request["from"] = start
    if end is not None:
        request["to"] = end
    if project:
        request["project"] = True
    return request


def _problem(document: Any, status: int | None) -> HearsayError:
    name = str(document.get("type", "")).rpartition(":")[2] or "server_refused"
    return HearsayError(name, str(document.get("detail", "the aggregator gives no reason")), status)


def _refusal(status: int, answer: Any) -> HearsayError:
    if isinstance(answer, dict) and "type" in answer:
        return _problem(answer, status)
    return HearsayError("server_refused", f"the aggregator answered {status}, without a problem document", status)


def _estimate(one: dict[str, Any]) -> Estimate:
    if "error" in one:
        return Estimate(one["query"], error=_problem(one["error"], None))
    return Estimate(
        one["query"],
        one["value"],
        one["standard_error"],
        (one["normal"][0], one["normal"][1]),
        (one["guaranteed"][0], one["guaranteed"][1]),
        one["guarantee"],
        one["influence"],
        one.get("projected"),
        list(one["warnings"]),
    )


def _table(one: dict[str, Any]) -> Table:
    if "error" in one:
        return Table(list(one["attributes"]), error=_problem(one["error"], None))
    return Table(
        list(one["attributes"]),
        list(one["sizes"]),
        list(one["values"]),
        list(one["standard_errors"]),
        one["quantile"],
        one.get("projected"),
        list(one["warnings"]),
    )
