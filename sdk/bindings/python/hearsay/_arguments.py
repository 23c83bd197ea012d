"""Checks arguments before they go to the C library, which would cut off large numbers and end texts at a NUL."""

from __future__ import annotations

import operator
import os
from typing import Any

from .errors import HearsayError

MOST = 2**53
"""The largest number in a document of Hearsay."""

_LONGEST_MS = 2**32 - 1


def invalid(message: str) -> HearsayError:
    return HearsayError("invalid_argument", message)


def whole(value: Any, what: str, least: int, most: int) -> int:
    """Returns the whole number. Raises TypeError if `value` is no int."""
    number = operator.index(value)
    if not least <= number <= most:
        raise invalid(f"{what} is {number}; it must be from {least} to {most}")
    return number


def milliseconds(seconds: float, what: str, least: int) -> int:
    """Returns the whole milliseconds in `seconds`, from `least` to 49 days."""
    if not least <= seconds * 1000 <= _LONGEST_MS:
        raise invalid(f"{what} is {seconds} seconds; it must be from {least / 1000:g} seconds to 49 days")
    return int(seconds * 1000)


def encoded(value: str | os.PathLike[str], what: str) -> bytes:
    """Returns the text in UTF-8. Raises TypeError if `value` is no text."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}")
    try:
        data = os.fsencode(value) if isinstance(value, os.PathLike) else value.encode()
    except UnicodeEncodeError as wrong:
        raise invalid(f"{what} holds half a character (a surrogate), which UTF-8 cannot encode") from wrong
    if b"\0" in data:
        raise invalid(f"{what} holds a NUL character; remove it")
    return data
