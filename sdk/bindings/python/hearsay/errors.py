"""The exception of calls that fail."""

from __future__ import annotations

from typing import Any


class HearsayError(Exception):
    """A call failed. `code` names the reason.

    `code` is a stable name such as "query_not_visible"; common/include/hearsay/error.h lists the names. `status` is the
    HTTP status of the answer, or None. The text does not hold a record's values.
    """

    def __init__(self, code: str, message: str, status: int | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        # Without this function, pickle would restore the exception from its text alone. The third element keeps the
        # exception's notes.
        return type(self), (self.code, self.message, self.status), self.__dict__
