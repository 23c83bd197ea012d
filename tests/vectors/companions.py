"""A second implementation of common/companion/format.md, and the inputs of its vectors for make_vectors.py."""

import datetime
import re
from fractions import Fraction

WHITE_SPACE = " \t\n\r\u00a0"
SPACES = "[ \u00a0\u2009\u202f]"


def number(text, rule):
    """Returns the number as a fraction, or None if the text is no number."""
    mark = re.escape(rule.get("decimal_mark", "."))
    grouping = rule.get("grouping")
    group = SPACES if grouping == " " else re.escape(grouping) if grouping else None
    whole = rf"[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|[0-9]*" if group else "[0-9]*"
    found = re.fullmatch(rf"([+-]?)({whole})(?:{mark}([0-9]*))?(?:[eE]([+-]?[0-9]+))?", text)
    if not found or not (found[2] or found[3]):
        return None
    digits = re.sub("[^0-9]", "", found[2])
    value = Fraction(int(digits + (found[3] or "") or "0"), 10 ** len(found[3] or ""))
    value *= Fraction(10) ** max(-1000, min(1000, int(found[4] or 0)))  # clamped to an exponent that is beyond any edge
    return -value if found[1] == "-" else value


def day(text, order):
    """Returns the day, or None if the text is no day."""
    zone = r"(?:Z|[+-]\d\d(?::?\d\d)?| [AP]M| [ap]m)?"
    text = re.sub(rf"[ T]([01]?\d|2[0-3]):[0-5]\d(:([0-5]\d|60)([.,]\d+)?)?{zone}$", "", text, flags=re.ASCII)
    part = {"y": r"(?P<y>\d{4})", "m": r"(?P<m>\d{1,2})", "d": r"(?P<d>\d{1,2})"}
    pattern = part[order[0]] + r"(?P<mark>[-/.])" + part[order[1]] + r"(?P=mark)" + part[order[2]]
    found = re.fullmatch(pattern, text, re.ASCII)
    if not found and order == "ymd":
        found = re.fullmatch(r"(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)", text, re.ASCII)
    try:
        return datetime.date(int(found["y"]), int(found["m"]), int(found["d"])) if found else None
    except ValueError:
        return None


def bin_of(edges, value):
    return sum(edge <= value for edge in edges) - 1


def place(rule, text, first):
    """Returns the place among the values that numbers and dates can mean, or None if the kind cannot read the text."""
    if rule["kind"] == "dates":
        value = day(text, rule["order"])
        return None if value is None else bin_of([day(edge, "ymd") for edge in rule["edges"]], value)
    value = number(text, rule)
    if value is None or (rule["kind"] == "integer" and value.denominator != 1):
        return None
    if rule["kind"] == "bins":
        return bin_of([Fraction(edge) for edge in rule["edges"]], value)
    return value // Fraction(rule.get("step", "1")) - first


def values_of(attribute):
    if attribute["type"] == "boolean":
        return ["no", "yes"]
    if attribute["type"] == "range":
        return [str(value) for value in range(attribute["min"], attribute["max"] + 1)]
    return attribute["values"]


def read(schema, rule, text):
    """Returns the value that a raw text means, as text, or None if the text means no value."""
    text = text.strip(WHITE_SPACE)
    values = values_of(next(each for each in schema if each["name"] == rule["attribute"]))
    missing = rule.get("missing")
    if missing and text in missing["texts"]:
        return missing["value"]
    if rule["kind"] == "texts":
        found = [value for value, texts in rule["texts"].items() if text in texts]
        return found[0] if found else rule.get("other") if text else None
    values = [value for value in values if not missing or value != missing["value"]]
    first = int(values[0]) if rule["kind"] in ("integer", "steps") else 0
    at = place(rule, text, first)
    if at is None or (rule["outside"] == "refuse" and not 0 <= at < len(values)):
        return None
    return values[min(max(at, 0), len(values) - 1)]


NUMBERS = [
    "", "0", "-0", "7", "07", "+7", "7.0", "7.", ".5", "-.5", "7.5", "-7.5", "1e1", "1E+1", "10e-1", "1e", "e1", "1e-400", "1e400",
    "-1e400", "1e99999999999999999999", "1,5", "1.234", "1,234", "1.234,5", "1,234.5", "12,34", "1234,567", "1 234",
    "1\u00a0234,5", "1\u202f234.5", "1\u2009234", "1'234.5", "1''234", "0x10", "NaN", "inf", "-inf", "5 %", "--5", "+-5", "5-", "\u0665",
    " 5 ", "\u00a05\t", "4.999999999999999999", "4.9999999999999999999", "5.0000000000000000001", "-0.0000000000000000001",
    "999999999999999999", "1000000000000000000", "99999999999999999999999999", "NA", "n/a", "-",
]  # fmt: skip
DAYS = [
    "2024-02-29", "2023-02-29", "2024-2-9", "2024/02/29", "2024.02.29", "2024-02/29", "20240229", "20230229", "2024022", "29.2.2024",
    "29/02/2024", "2/29/2024", "02-29-2024", "1/2/2024", "31.04.2024", "0000-01-01", "9999-12-31", "0001-01-01", "24-02-29", "1.2.24",
    "2024-02-29T00:00", "2024-02-29 23:59:60Z", "2024-02-29T24:00", "2024-02-29T12:00:00.125+02:00", "2024-02-29 1:30 PM",
    "2024-02-29 12", "2024-02-29 12:5", "2024-02-29T12:00:00 Z", "2023-12-31", "2024-01-01", "2025-01-01", "1899-12-31", "", "NA", " 2024-02-29 ",
    "2024-02-29x", "x2024-02-29", "2024--02-29", "-2024-02-29", "310120202020", "2024-00-10", "2024-13-10", "2024-01-00",
]  # fmt: skip
TEXTS = ["yes", "Yes", "YES", " yes ", "no", "0", "1", "", "maybe", "N", "north", "North", "S\u00fcd", "Su\u0308d", "NA", "other", "missing", "\t", "yes\u00a0"]


def range_of(least, most):
    return {"name": "a", "type": "range", "min": least, "max": most}


def named(*values):
    return {"name": "a", "type": "categorical", "values": list(values)}


MISSING = {"value": "-1", "texts": ["", "NA"]}
CASES = [
    ("yes or no", {"name": "a", "type": "boolean"}, {"kind": "texts", "texts": {"yes": ["yes", "Yes", "1"], "no": ["no", "0", ""]}}, TEXTS),
    ("categories, others and missing", named("north", "south", "other", "missing"), {"kind": "texts", "texts": {"north": ["N", "north"],
     "south": ["S\u00fcd"]}, "other": "other", "missing": {"value": "missing", "texts": ["", "NA"]}}, TEXTS),
    ("words for numbers", range_of(1, 3), {"kind": "texts", "texts": {"1": ["no"], "2": ["maybe"], "3": ["yes"]}}, TEXTS),
    ("whole numbers, refused outside", range_of(0, 9), {"kind": "integer", "outside": "refuse"}, NUMBERS),
    ("whole numbers, clamped, missing first", range_of(-1, 9), {"kind": "integer", "outside": "clamp", "missing": MISSING}, NUMBERS),
    ("whole numbers, missing last", range_of(-9, 0), {"kind": "integer", "outside": "clamp", "missing": {"value": "0", "texts": ["-"]}}, NUMBERS),
    ("steps of a half", range_of(-5, 11), {"kind": "steps", "step": "0.5", "outside": "clamp"}, NUMBERS),
    ("steps of a thousand, German", range_of(-2, 20), {"kind": "steps", "step": "1000", "outside": "clamp", "decimal_mark": ",", "grouping": "."}, NUMBERS),
    ("steps of a fifth, American", range_of(0, 7000), {"kind": "steps", "step": "0.2", "outside": "refuse", "grouping": ","}, NUMBERS),
    ("the smallest step", range_of(-3, 3), {"kind": "steps", "step": "0.000000000000000001", "outside": "clamp"}, NUMBERS),
    ("steps, French", range_of(0, 2000), {"kind": "steps", "step": "1", "outside": "refuse", "decimal_mark": ",", "grouping": " "}, NUMBERS),
    ("steps, Swiss", range_of(0, 2000), {"kind": "steps", "step": "1", "outside": "refuse", "grouping": "'"}, NUMBERS),
    ("bins", named("low", "middle", "high"), {"kind": "bins", "edges": ["-1.5", "0.5", "5", "999999999999999999"], "outside": "refuse"}, NUMBERS),
    ("open bins and missing", range_of(1, 3), {"kind": "bins", "edges": ["0", "5", "7.5"], "outside": "clamp", "missing": {"value": "3", "texts": ["NA"]}}, NUMBERS),
    ("years", range_of(2022, 2024), {"kind": "dates", "order": "ymd", "edges": ["2023-01-01", "2024-01-01", "2025-01-01"], "outside": "clamp",
     "missing": {"value": "2022", "texts": ["", "NA"]}}, DAYS),
    ("the day first", named("winter", "spring"), {"kind": "dates", "order": "dmy", "edges": ["2023-12-01", "2024-03-01", "2024-06-01"], "outside": "refuse"}, DAYS),
    ("the month first", named("before", "after"), {"kind": "dates", "order": "mdy", "edges": ["2024-01-01", "2024-02-29", "2024-03-01"], "outside": "clamp"}, DAYS),
]  # fmt: skip


def vectors():
    made = []
    for about, attribute, rule, texts in CASES:
        rule = {"attribute": "a", "column": "A", **rule}
        made.append({
            "about": about,
            "schema": [attribute],
            "companion": {"version": 1, "attributes": [rule]},
            "texts": [{"text": text, "value": read([attribute], rule, text)} for text in texts],
        })  # fmt: skip
    return made
