"""Reports a person's records, randomized on this device."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_int32, c_int64, c_size_t, c_uint64, c_void_p, sizeof
from dataclasses import dataclass
from typing import Any, Mapping, Protocol

from . import _library
from ._arguments import MOST, milliseconds, whole
from .errors import HearsayError

Path = str | os.PathLike[str]


class Task:
    """The public agreement on what is asked and how answers are randomized. A Task does not change."""

    def __init__(self, document: str) -> None:
        """Reads a task document. Raises HearsayError."""
        self._handle = c_void_p()
        _library.call("hearsay_task_parse", *_library.text(document, "document"), byref(self._handle))
        self._describe()

    @classmethod
    def _of_handle(cls, handle: c_void_p) -> Task:
        task = cls.__new__(cls)
        task._handle = handle
        task._describe()
        return task

    def _describe(self) -> None:
        described = c_void_p()
        _library.call("hearsay_task_describe", self._handle, byref(described))
        about = json.loads(_library.take_buffer(described))
        self.id: str = about["id"]
        self.title: str = about["title"]
        self.epsilon: str = about["epsilon"]
        self.start: int = about["start"]
        self.end: int = about["end"]
        self.schema: list[dict[str, Any]] = about["schema"]

    def __del__(self) -> None:
        _free("task", self)


class Companion:
    """Turns raw texts, such as a row of a CSV file or a person's typed answers, into a record.

    >>> companion = Companion(task, document)
    >>> client.submit(companion.record({"Do you smoke?": "Yes", "Age": "33"}))
    """

    def __init__(self, task: Task, document: str) -> None:
        """Reads a companion document of the task's schema. `hearsay schema` proposes one. Raises HearsayError."""
        self._handle = c_void_p()
        text = _library.text(document, "document")
        _library.call("hearsay_companion_parse", task._handle, *text, byref(self._handle))

    def record(self, texts: Mapping[str, str]) -> dict[str, bool | int | str]:
        """Returns the record that the texts mean. The keys are the labels of columns. Ignores columns that the document
        does not name.

        Raises HearsayError "invalid_record" if a text is absent or means no value.
        """
        raw, size = _library.text(json.dumps(dict(texts), ensure_ascii=False), "texts")
        record = c_void_p()
        _library.call("hearsay_companion_read", self._handle, raw, size, byref(record))
        return json.loads(_library.take_buffer(record))

    def __del__(self) -> None:
        _free("companion", self)


def read_task_list(
    text: str,
    author_key: str,
    now: int,
    *,
    max_epsilon: str,
    last_number: int = 0,
    schema: str | None = None,
) -> tuple[list[Task], int]:
    """Reads a list of tasks that the app's author has signed.

    Returns the tasks within the limits, and the list's number.

    `now` is in seconds since 1970. The app stores the number and passes it as `last_number` next time, so that this
    function refuses an older list. Raises HearsayError.
    """
    limits = _limits(max_epsilon, schema)
    now = whole(now, "now", 0, MOST)
    last_number = whole(last_number, "last_number", 0, MOST)
    handles = (c_void_p * 256)()
    count, number = c_size_t(), c_uint64()
    _library.call(
        "hearsay_task_list_read", *_library.text(text, "text"), *_library.text(author_key, "author_key"), now,
        last_number, byref(limits), handles, len(handles), byref(count), byref(number),
    )  # fmt: skip
    return [Task._of_handle(c_void_p(handles[i])) for i in range(count.value)], number.value


class Counter(Protocol):
    """A number that only grows. Restoring an old copy of the ledger's file must not restore an old number."""

    def read(self) -> int:
        """Returns the number, or 0 if raise_to() was never called."""

    def raise_to(self, value: int) -> None:
        """Stores `value`, which is at least the present number."""


@dataclass(frozen=True)
class LoggedReport:
    """A report in the ledger: waiting, delivered or dropped."""

    number: int
    task: str
    title: str
    epsilon: str
    made: int
    state: str
    """ "pending", "delivered" or "dropped"."""
    settled: int | None
    reason: str
    bytes: str
    """The encoded report, as it was sent or will be sent, in base64url."""


class Ledger:
    """A person's budget and reports, in one file. Give each person one ledger for all tasks.

    Each task may have one report in each period of `period_seconds`, or one report ever if `period_seconds` is None.
    `budget` is the largest sum of epsilon over all tasks in a period, as decimal text. The file keeps the policy: the
    period cannot change, and the budget cannot grow.

    Use a ledger as a context manager, or call close(). Any number of threads may use a ledger, but only one process. In
    a child process made by os.fork(), calls on the parent's ledger raise "in_use".
    """

    def __init__(
        self,
        file: Path,
        *,
        period_seconds: int | None = None,
        budget: str | None = None,
        counter: Counter | None = None,
    ) -> None:
        """Opens the ledger, or makes a new one. `period_seconds` is from 1 to 2^53.

        Raises HearsayError, for example "invalid_argument", "in_use" or "ledger_damaged".
        """
        self._handle = c_void_p()
        options = _library.LedgerOptions(size=sizeof(_library.LedgerOptions))
        if period_seconds is not None:  # the library takes 0 for one report ever
            options.period_seconds = whole(period_seconds, "period_seconds", 1, MOST)
        options.file, options.file_size = _library.text(file, "file")
        options.budget, options.budget_size = _library.text(budget, "budget")
        if counter is not None:
            self._counter = _counter_functions(counter)  # the library calls these as long as the ledger lives
            options.counter = ctypes.pointer(self._counter)
        _library.call("hearsay_ledger_open", byref(options), byref(self._handle))

    def close(self) -> None:
        """Closes the ledger. The file stays open until all clients of the ledger are closed, too.

        So close the clients first. Until then a new Ledger on the same file raises "in_use".
        """
        _free("ledger", self)

    __del__ = close

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def log(self, most: int = 1000) -> list[LoggedReport]:
        """Returns at most `most` waiting, delivered and dropped reports, the newest first."""
        buffer = c_void_p()
        _library.call("hearsay_ledger_log", self._handle, whole(most, "most", 0, MOST), byref(buffer))
        return [LoggedReport(**entry) for entry in json.loads(_library.take_buffer(buffer))]

    @property
    def opted_out(self) -> bool:
        """True if the person has opted out of reporting."""
        out = c_int32()
        _library.call("hearsay_ledger_opted_out", self._handle, byref(out))
        return out.value == 1

    def opt_out(self) -> None:
        """Ends reporting for this person: removes the waiting reports and the log. Lasts until opt_in(), also over
        restarts.

        If you have a client, call Client.opt_out() instead, which also stops an upload under way.
        """
        _library.call("hearsay_ledger_opt_out", self._handle)

    def opt_in(self) -> None:
        """Lets this person report again. The ledger still counts the payments made before."""
        _library.call("hearsay_ledger_opt_in", self._handle)


@dataclass(frozen=True)
class Flushed:
    """The results of one flush."""

    delivered: int
    dropped: int
    pending: int
    problem: HearsayError | None
    """The last problem of the flush: why reports wait, or why the client dropped reports. None without a problem."""


class Client:
    """One person's reports to one task.

    >>> with Ledger("ledger.db", period_seconds=90 * 86_400, budget="2") as ledger:
    ...     with Client(ledger, task, host="aggregator.example", max_epsilon="1") as client:
    ...         client.submit({"smoker": True, "age": 33})
    ...         client.flush(30)

    `task` is a Task or a task's id. With an id, the client fetches the task's document. Without `host` the caller sends
    the reports itself, with next_report() and settle_report(). Any number of threads may use a client.

    In a child process made by os.fork(), calls on the parent's clients and ledgers raise "in_use". If the parent has
    several threads at the fork, the child must call exec before it uses this package. Otherwise a lock that another
    thread held stays locked in the child, and the child waits for ever. With multiprocessing, choose the start method
    "spawn".
    """

    def __init__(
        self,
        ledger: Ledger,
        task: Task | str,
        *,
        max_epsilon: str,
        host: str | None = None,
        port: int = 443,
        ca_file: Path | None = None,
        upload_token: str | None = None,
        client_certificate: Path | None = None,
        client_key: Path | None = None,
        timeout: float = 10.0,
        schema: str | None = None,
        pin_file: Path | None = None,
    ) -> None:
        """`timeout` is in seconds, at least 0.001, for one exchange with the server.

        `client_certificate` and `client_key` are PEM files, for aggregators that ask for a certificate: both or
        neither. The key must not be encrypted. `pin_file` remembers the task; a later
        client with another task raises "task_mismatch".

        Raises HearsayError, for example "task_mismatch" if the task's epsilon is above `max_epsilon`, or its schema
        differs from `schema`.
        """
        self._handle = c_void_p()
        self._ledger = ledger  # must outlive the client
        limits = _limits(max_epsilon, schema)
        options = _library.ClientOptions(size=sizeof(_library.ClientOptions), limits=ctypes.pointer(limits))
        if isinstance(task, Task):
            options.task = task._handle
        else:
            options.task_id, options.task_id_size = _library.text(task, "task")
        options.pin_file, options.pin_file_size = _library.text(pin_file, "pin_file")
        if host is not None:
            server = _library.Server(size=sizeof(_library.Server))
            server.port = whole(port, "port", 1, 65_535)
            server.timeout_ms = milliseconds(timeout, "timeout", 1)  # the library takes 0 for its default
            server.host, server.host_size = _library.text(host, "host")
            server.ca_file, server.ca_file_size = _library.text(ca_file, "ca_file")
            server.upload_token, server.upload_token_size = _library.text(upload_token, "upload_token")
            certificate = _library.text(client_certificate, "client_certificate")
            server.client_certificate, server.client_certificate_size = certificate
            server.client_key, server.client_key_size = _library.text(client_key, "client_key")
            options.server = ctypes.pointer(server)
        _library.call("hearsay_client_create", byref(options), ledger._handle, byref(self._handle))

    def close(self) -> None:
        """Frees the client. No other thread may use the client any more."""
        _free("client", self)

    __del__ = close

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, record: Mapping[str, bool | int | str]) -> bool:
        """Pays for a report, randomizes the record and queues the report. Does not use the network.

        Returns False if the person has reported to the task in this period; submit() then does not look at the record.
        Raises HearsayError, for example "budget_exhausted", "invalid_record" or "opted_out".
        """
        already = c_int32()
        text, size = _library.text(json.dumps(dict(record), allow_nan=False), "record")
        _library.call("hearsay_client_submit_json", self._handle, text, size, byref(already))
        return already.value == 0

    def flush(self, seconds: float) -> Flushed:
        """Uploads the waiting reports, for at most `seconds`.

        If the network or the server fails, raises no exception: the result's `problem` says why.
        """
        summary = _library.FlushSummary(size=sizeof(_library.FlushSummary))
        _library.call("hearsay_client_flush", self._handle, milliseconds(seconds, "seconds", 0), byref(summary))
        problem = _library.problem(summary.problem) if summary.problem.code != 0 else None
        return Flushed(summary.delivered, summary.dropped, summary.pending, problem)

    def cancel(self) -> None:
        """Ends a flush() under way in another thread."""
        _library.call("hearsay_client_cancel", self._handle)

    def opt_out(self) -> None:
        """Ends reporting for this person: removes the waiting reports and the log, and stops an upload under way."""
        _library.call("hearsay_client_opt_out", self._handle)

    def next_report(self) -> tuple[int, bytes] | None:
        """Returns the oldest waiting report and its number, for callers that send reports themselves.

        The caller posts these bytes to /v1/tasks/TASK_ID/reports with the media type
        application/vnd.hearsay.reports+cbor-seq, as often as needed, and must not send other bytes in their place.
        """
        number, report = c_int64(), c_void_p()
        _library.call("hearsay_client_next_report", self._handle, byref(number), byref(report))
        return (number.value, _library.take_buffer(report)) if report else None

    def settle_report(self, number: int, *, delivered: bool, reason: str = "", server_time: int = 0) -> None:
        """Tells the client that a report was delivered (after any status 2xx), or refused for good.

        `server_time` is the answer's header Date in seconds since 1970, over an authenticated connection, or 0.
        """
        number = whole(number, "number", 0, 2**63 - 1)
        server_time = whole(server_time, "server_time", 0, MOST)
        _library.call(
            "hearsay_client_settle_report", self._handle, number, int(bool(delivered)),
            *_library.text(reason, "reason"), server_time,
        )  # fmt: skip


def _free(kind: str, of: Any) -> None:
    handle = getattr(of, "_handle", None)
    if handle:
        of._handle = c_void_p()
        getattr(_library.library(), f"hearsay_{kind}_free")(handle)


def _limits(max_epsilon: str, schema: str | None) -> _library.Limits:
    limits = _library.Limits(size=sizeof(_library.Limits))
    limits.max_epsilon, limits.max_epsilon_size = _library.text(max_epsilon, "max_epsilon")
    limits.schema, limits.schema_size = _library.text(schema, "schema")
    return limits


def _counter_functions(counter: Counter) -> _library.RollbackCounter:
    def read(_: object, value: Any) -> int:
        try:
            value[0] = whole(counter.read(), "the counter", 0, 2**64 - 1)
            return 0
        except BaseException:  # also an interrupt: ctypes would drop the exception and return any value
            return 1

    def raise_(_: object, value: int) -> int:
        try:
            counter.raise_to(value)
            return 0
        except BaseException:
            return 1

    return _library.RollbackCounter(_library.READ_COUNTER(read), _library.RAISE_COUNTER(raise_), None)
