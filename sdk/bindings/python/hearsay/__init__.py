"""Hearsay: statistics about people, under local differential privacy.

`Client` and `Ledger` report a person's records, randomized on this device. `Analyst` asks an aggregator for estimates
and tallies.
"""

from .analyst import Analyst, Estimate, Table, TaskSummary, Window, to_frame
from .client import Client, Companion, Counter, Flushed, Ledger, LoggedReport, Task, read_task_list
from .errors import HearsayError

__all__ = [
    "Analyst", "Client", "Companion", "Counter", "Estimate", "Flushed", "HearsayError", "Ledger", "LoggedReport",
    "Table", "Task", "TaskSummary", "Window", "read_task_list", "to_frame",
]  # fmt: skip
