"""Calls the C library, and turns results and errors into Python's values and exceptions."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64
from ctypes import c_void_p
from typing import Any

from ._arguments import encoded
from .errors import HearsayError

_OLDEST_ABI = 2


class Error(Structure):
    _fields_ = [("size", c_size_t), ("code", c_int32), ("name", c_char * 44), ("message", c_char * 512)]


class Limits(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("max_epsilon", c_char_p),
        ("max_epsilon_size", c_size_t),
        ("schema", c_char_p),
        ("schema_size", c_size_t),
    ]


READ_COUNTER = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_uint64))
RAISE_COUNTER = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64)


class RollbackCounter(Structure):
    _fields_ = [("read", READ_COUNTER), ("raise_", RAISE_COUNTER), ("context", c_void_p)]


class LedgerOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("file", c_char_p),
        ("file_size", c_size_t),
        ("period_seconds", c_uint64),
        ("budget", c_char_p),
        ("budget_size", c_size_t),
        ("max_reports", c_uint64),
        ("max_bytes", c_uint64),
        ("max_age_seconds", c_uint64),
        ("counter", POINTER(RollbackCounter)),
    ]


class Server(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("host", c_char_p),
        ("host_size", c_size_t),
        ("port", c_uint32),
        ("timeout_ms", c_uint32),
        ("ca_file", c_char_p),
        ("ca_file_size", c_size_t),
        ("upload_token", c_char_p),
        ("upload_token_size", c_size_t),
        ("client_certificate", c_char_p),
        ("client_certificate_size", c_size_t),
        ("client_key", c_char_p),
        ("client_key_size", c_size_t),
    ]


class ClientOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("server", POINTER(Server)),
        ("limits", POINTER(Limits)),
        ("task", c_void_p),
        ("task_id", c_char_p),
        ("task_id_size", c_size_t),
        ("pin_file", c_char_p),
        ("pin_file_size", c_size_t),
    ]


class FlushSummary(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("delivered", c_uint64),
        ("dropped", c_uint64),
        ("pending", c_uint64),
        ("problem", Error),
    ]


# The functions that return a code, each with the types of its parameters. The last parameter, the error, is left out.
_FUNCTIONS: dict[str, list[Any]] = {
    "hearsay_task_parse": [c_char_p, c_size_t, POINTER(c_void_p)],
    "hearsay_task_describe": [c_void_p, POINTER(c_void_p)],
    "hearsay_companion_parse": [c_void_p, c_char_p, c_size_t, POINTER(c_void_p)],
    "hearsay_companion_read": [c_void_p, c_char_p, c_size_t, POINTER(c_void_p)],
    "hearsay_task_list_read": [
        c_char_p, c_size_t, c_char_p, c_size_t, c_uint64, c_uint64, POINTER(Limits), POINTER(c_void_p), c_size_t,
        POINTER(c_size_t), POINTER(c_uint64),
    ],
    "hearsay_ledger_open": [POINTER(LedgerOptions), POINTER(c_void_p)],
    "hearsay_ledger_log": [c_void_p, c_size_t, POINTER(c_void_p)],
    "hearsay_ledger_opt_out": [c_void_p],
    "hearsay_ledger_opt_in": [c_void_p],
    "hearsay_ledger_opted_out": [c_void_p, POINTER(c_int32)],
    "hearsay_client_create": [POINTER(ClientOptions), c_void_p, POINTER(c_void_p)],
    "hearsay_client_submit_json": [c_void_p, c_char_p, c_size_t, POINTER(c_int32)],
    "hearsay_client_flush": [c_void_p, c_uint32, POINTER(FlushSummary)],
    "hearsay_client_cancel": [c_void_p],
    "hearsay_client_opt_out": [c_void_p],
    "hearsay_client_next_report": [c_void_p, POINTER(c_int64), POINTER(c_void_p)],
    "hearsay_client_settle_report": [c_void_p, c_int64, c_int32, c_char_p, c_size_t, c_uint64],
}  # fmt: skip

_library: ctypes.CDLL | None = None


def library() -> ctypes.CDLL:
    """Loads the library. HEARSAY_LIBRARY may name the library's file; otherwise the system finds libhearsay-c.

    Raises HearsayError "library_not_found" or "library_too_old".
    """
    global _library
    if _library is not None:
        return _library
    name = os.environ.get("HEARSAY_LIBRARY") or ctypes.util.find_library("hearsay-c")
    if not name:
        raise HearsayError(
            "library_not_found",
            "libhearsay-c is not installed; install the package libhearsay0, or set HEARSAY_LIBRARY to its file",
        )
    try:
        loaded = ctypes.CDLL(name)
        version = loaded.hearsay_abi_version
    except (OSError, AttributeError) as wrong:
        raise HearsayError("library_not_found", f"'{name}' is not the library of Hearsay: {wrong}") from wrong
    version.restype = c_uint32
    if version() < _OLDEST_ABI:
        raise HearsayError("library_too_old", f"'{name}' has interface {version()}; this package needs {_OLDEST_ABI}")
    for function, parameters in _FUNCTIONS.items():
        getattr(loaded, function).argtypes = [*parameters, POINTER(Error)]
        getattr(loaded, function).restype = c_int32
    for kind in ("task", "companion", "ledger", "client", "buffer"):
        free = getattr(loaded, f"hearsay_{kind}_free")
        free.argtypes, free.restype = [c_void_p], None
    loaded.hearsay_buffer_data.argtypes, loaded.hearsay_buffer_data.restype = [c_void_p], c_void_p
    loaded.hearsay_buffer_size.argtypes, loaded.hearsay_buffer_size.restype = [c_void_p], c_size_t
    _library = loaded
    return loaded


def call(function: str, *arguments: Any) -> None:
    """Calls a function that returns a code. Raises HearsayError if the code is not 0."""
    error = Error(size=ctypes.sizeof(Error))
    if getattr(library(), function)(*arguments, byref(error)) != 0:
        raise problem(error)


def problem(error: Error) -> HearsayError:
    return HearsayError(error.name.decode(), error.message.decode(errors="replace"))


def take_buffer(buffer: c_void_p) -> bytes:
    """Copies the bytes of a buffer and frees the buffer."""
    loaded = library()
    try:
        return ctypes.string_at(loaded.hearsay_buffer_data(buffer), loaded.hearsay_buffer_size(buffer))
    finally:
        loaded.hearsay_buffer_free(buffer)


def text(value: str | os.PathLike[str] | None, what: str) -> tuple[bytes | None, int]:
    """Returns the text in UTF-8 and its length in bytes. `what` names the argument in an error."""
    if value is None:
        return None, 0
    data = encoded(value, what)
    return data, len(data)
