"""Hearsay: statistics about people, without anything that can be pinned on anyone.

`hearsay.Analyst` asks an aggregator for estimates and tallies.
"""

from .analyst import Analyst, Estimate, Table, TaskSummary, Window, to_frame
from .errors import HearsayError

__all__ = ["Analyst", "Estimate", "HearsayError", "Table", "TaskSummary", "Window", "to_frame"]
