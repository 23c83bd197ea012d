"""The inputs of make_vectors.py."""

import base64
import json

SCHEMA = [
    {"name": "smoker", "type": "boolean"},
    {"name": "region", "type": "categorical", "values": ["north", "far east", "south"]},
    {"name": "age", "type": "range", "min": -2, "max": 3},
]


def task(**changes):
    document = {
        "version": 2,
        "title": "vectors",
        "schema": SCHEMA,
        "arrangement": {"type": "literals"},
        "channel": {"type": "laplace", "calibration": "tight"},
        "epsilon": "1",
        "task_start": 1767225600,
        "task_duration": 7776000,
        "time_precision": 86400,
        "min_batch_size": 1000,
    }
    document.update(changes)
    return json.dumps(document, ensure_ascii=False)


def tight(*shares):
    return {"type": "laplace", "calibration": "tight", "shares": list(shares)}


def sampled(*groups, **more):
    """Returns groups. Each is (kind, size, weight), perhaps with attributes and odds. `more` is for all groups."""
    keys = ("kind", "size", "weight", "attributes", "odds")
    return {"type": "sampled", "groups": [dict(zip(keys, group), **more) for group in groups]}


def asking(questions, *groups):
    """Returns groups like sampled(), and questions. Each is (attribute, kind, values of the other keys)."""
    keys = {"parities": ("bits",), "levels": ("levels", "weights"),
            "circle": ("places", "bits", "multipliers", "weights"), "hash": ("answers",)}
    listed = [dict(zip(("attribute", "kind") + keys[q[1]], q)) for q in questions]
    return dict(sampled(*groups), questions=listed)


CHARACTERS = {"type": "characters", "order": 2}


def explicit(dimension, records, *queries):
    """Returns explicit vectors. `records` has the entries of all records in order; a query is (text, vector)."""
    def text(entries):
        return base64.urlsafe_b64encode(bytes(entry % 256 for entry in entries)).rstrip(b"=").decode()
    listed = [{"query": query, "vector": text(vector)} for query, vector in queries]
    return {"type": "explicit", "dimension": dimension, "records": text(records), "queries": listed}


BITS_OF_TWO = [{"name": "b", "type": "boolean"}, {"name": "c", "type": "boolean"}]
VECTORS = explicit(3, [-127, 12, 0, 127, -12, 1, 5, 4, -3, 0, 0, 127], ("b or c", [1, 0, -2]), ("b", [1, 1, 0]))
TRIPLED = explicit(3, [-126, 12, 0, 126, -12, 3, 6, 3, -3, 0, 0, 126], ("b", [-6, -6, 9]), ("b or c", [1, 0, -2]))
DIVIDED = explicit(3, [-42, 4, 0, 42, -4, 1, 2, 1, -1, 0, 0, 42], ("b or c", [63, 0, -126]), ("b", [-2, -2, 3]))

BOOLEANS = [{"name": f"b{i}", "type": "boolean"} for i in range(16)]

TASKS = [
    ("all kinds of attributes", task()),
    ("the same in another layout and order", json.dumps(dict(reversed(json.loads(task()).items())), indent="\t")),
    ("epsilon with a zero behind the point means the same", task(epsilon="1.0")),
    ("shares that are the sensitivities 2, 4, 10 mean the same", task(channel=tight(2, 4, 10))),
    ("shares in proportion to the sensitivities mean the same", task(channel=tight(3, 6, 15))),
    ("other shares", task(channel=tight(2, 4, 8))),
    ("the other shares in lowest terms mean the same", task(channel=tight(1, 2, 4))),
    ("calibration paper", task(channel={"calibration": "paper", "type": "laplace"})),
    ("a small epsilon", task(epsilon="0.000010", schema=BOOLEANS[:2])),
    ("decimals keep the zeros before them", task(epsilon="10.0400")),
    ("the largest epsilon", task(epsilon="64.000000")),
    ("an empty title is no title", task(title="")),
    ("no title", '{"version":2,' + task(title="").split('"title": "", ')[1]),
    ("a title with characters that are escaped and characters that are not", task(title='"\\/ é ☃ 𝄞 <>&\'\u2028')),
    ("the same, every character escaped", task(title="TITLE").replace("TITLE", "".join(
        f"\\u{unit:04X}" for unit in (0x22, 0x5C, 0x2F, 0x20, 0xE9, 0x20, 0x2603, 0x20, 0xD834, 0xDD1E, 0x20,
                                      0x3C, 0x3E, 0x26, 0x27, 0x2028)))),
    ("times and batch at their limits", task(task_start=0, task_duration=2**53 - 1, time_precision=1,
                                             min_batch_size=2**53 - 1)),
    ("the coarsest time", task(task_start=31622400, task_duration=31622400, time_precision=31622400,
                               min_batch_size=1)),
    ("minus zero is zero", task(task_start=0).replace('"task_start": 0', '"task_start": -0')),
    ("sixteen booleans", task(schema=BOOLEANS)),
    ("values of a categorical attribute in UTF-8", task(schema=[
        {"name": "_x1", "type": "categorical", "values": ["ja", "“nein”", "a\\b", "\"", "\U0001f600"]}])),
    ("names of any text", task(schema=[
        {"name": "age in 3..4", "type": "boolean"}, {"name": "\"and\" \\", "type": "boolean"},
        {"name": "\U0001f469\u200d\U0001f52c, größe", "type": "boolean"}])),
    ("titles and a unit", task(schema=[
        {"name": "b", "type": "boolean", "title": "Do you cycle?"},
        {"name": "r", "type": "range", "min": 0, "max": 9, "title": "Minutes \u2028 a day", "unit": "min"}])),
    ("empty titles and units are left out", task(schema=[
        {"name": "b", "type": "boolean", "title": ""},
        {"name": "r", "type": "range", "min": 0, "max": 9, "title": "", "unit": ""}])),
    ("a range with its ends at the limits", task(schema=[
        {"name": "low", "type": "range", "min": -(2**53), "max": -(2**53) + 9},
        {"name": "high", "type": "range", "min": 2**53 - 9, "max": 2**53}])),
]

TASKS += [
    ("characters with noise", task(arrangement=CHARACTERS)),
    ("characters sampled, singles", task(arrangement=CHARACTERS, channel=sampled(("single", 1, 1), ("single", 2, 4)))),
    ("the same in another order, weights times 3", task(arrangement=CHARACTERS, channel=sampled(
        ("single", 2, 12), ("single", 1, 3)))),
    ("the same with all attributes and their odds spelled out", task(arrangement=CHARACTERS, channel=sampled(
        ("single", 1, 1), ("single", 2, 4), attributes=["age", "smoker", "region"], odds=[7, 7, 7]))),
    ("other odds", task(arrangement=CHARACTERS, channel=sampled(
        ("single", 1, 1), ("single", 2, 4), odds=[1, 3, 7]))),
    ("the same odds times 2, attributes in another order", task(arrangement=CHARACTERS, channel=sampled(
        ("single", 1, 1), ("single", 2, 4), attributes=["region", "age", "smoker"], odds=[6, 14, 2]))),
    ("only some sets of attributes", task(arrangement=CHARACTERS, channel=sampled(
        ("single", 2, 3, ["age", "smoker"]), ("single", 1, 2, ["region"]), ("single", 2, 5, ["smoker", "region"])))),
    ("the same, with odds although there is no choice", task(arrangement=CHARACTERS, channel=sampled(
        ("single", 2, 3, ["age", "smoker"], [1, 2]), ("single", 1, 2, ["region"], [9]),
        ("single", 2, 5, ["region", "smoker"])))),
    ("groups of every kind, from the last to the first", task(arrangement=CHARACTERS, channel=sampled(
        ("even", 3, 2**32 - 1), ("raw", 3, 2), ("raw", 2, 2**32 - 2), ("single", 2, 6), ("single", 1, 4)))),
    ("the weight of the only class becomes 1", task(arrangement=CHARACTERS, channel=sampled(("raw", 2, 1000)))),
    ("literals sampled one by one", task(channel={"type": "sampled", "group_size": 1})),
    ("literals sampled by four", task(channel={"group_size": 4, "type": "sampled"})),
    ("a circle for the range", task(arrangement=CHARACTERS, channel=asking(
        [("age", "circle", 6, 1, [1, 2], [3, 1])], ("single", 1, 1), ("single", 2, 4)))),
    ("the same, multipliers in another order, weights times 5, a default spelled out", task(
        arrangement=CHARACTERS, channel=asking(
            [("smoker", "parities", 1), ("age", "circle", 6, 1, [2, 1], [5, 15])], ("single", 1, 1), ("single", 2, 4)))),
    ("nothing but defaults spelled out: singles as above", task(arrangement=CHARACTERS, channel=asking(
        [("age", "parities", 1), ("smoker", "parities", 1)], ("single", 1, 1), ("single", 2, 4)))),
    ("no questions listed: singles as above", task(arrangement=CHARACTERS, channel=asking(
        [], ("single", 1, 1), ("single", 2, 4)))),
    ("levels and parities of two bits", task(arrangement=CHARACTERS, channel=asking(
        [("region", "parities", 2), ("age", "levels", [[0, 1], [0, 2], [1, 2]], [4, 2, 7])],
        ("raw", 1, 1, ["region", "age"]), ("raw", 3, 2)))),
    ("the same from the last to the first, weights times 3", task(arrangement=CHARACTERS, channel=asking(
        [("age", "levels", [[2, 1], [2, 0], [1, 0]], [21, 6, 12]), ("region", "parities", 2)],
        ("raw", 3, 4), ("raw", 1, 2, ["age", "region"])))),
    ("a hash with three answers", task(arrangement=CHARACTERS, channel=asking(
        [("region", "hash", 3)], ("raw", 1, 1, ["region"]), ("raw", 3, 2)))),
    ("a range cut into two cells", task(arrangement=CHARACTERS, channel=sampled(("single", 1, 1)), cuts=[
        {"attribute": "age", "starts": [-1, 2], "cells": [0, 1, 0]}])),
    ("every stretch a cell, spelled out", task(arrangement=CHARACTERS, channel=sampled(("single", 1, 1)), cuts=[
        {"attribute": "age", "starts": [-1, 2], "cells": [0, 1, 2]}])),
    ("the same, left out", task(arrangement=CHARACTERS, channel=sampled(("single", 1, 1)), cuts=[
        {"attribute": "age", "starts": [-1, 2]}])),
    ("explicit vectors, queries from the last to the first", task(schema=BITS_OF_TWO, arrangement=VECTORS)),
    ("explicit vectors with common divisors", task(schema=BITS_OF_TWO, arrangement=TRIPLED)),
    ("the same divided by them, and a query's vector times 63", task(schema=BITS_OF_TWO, arrangement=DIVIDED)),
]

COUNTING = bytes(range(16))

REPORTS = [
    ("an id of zeros, time 0 and an empty payload", bytes(16), 0, b""),
    ("the largest time without a further byte", COUNTING, 23, b"\x00"),
    ("the smallest time of one further byte", COUNTING, 24, b"\xff"),
    ("the largest time of one further byte", COUNTING, 2**8 - 1, b"\x84\x01\x50"),
    ("the smallest time of two further bytes", COUNTING, 2**8, b"\x01\x02"),
    ("the largest time of two further bytes", COUNTING, 2**16 - 1, b"\x01\x02"),
    ("the smallest time of four further bytes", COUNTING, 2**16, b"\x01\x02"),
    ("a time near the present", bytes(range(240, 256)), 1767225600, bytes(range(23))),
    ("the largest time of four further bytes", COUNTING, 2**32 - 1, bytes(range(24))),
    ("the smallest time of eight further bytes", COUNTING, 2**32, bytes(range(24))),
    ("the largest time", b"\xff" * 16, 2**64 - 1, bytes(255)),
    ("a payload whose length needs two bytes", COUNTING, 1767225600, bytes(256)),
]

PAYLOADS = [
    ("explicit vectors", task(schema=BITS_OF_TWO, arrangement=VECTORS), [
        lambda j, bound: (-1) ** j * bound,
        lambda j, bound: 3 - j,
    ]),
    ("explicit vectors with a common divisor, noise as in the paper", task(
        schema=BITS_OF_TWO, arrangement=TRIPLED, channel={"calibration": "paper", "type": "laplace"}), [
            lambda j, bound: bound - j,
        ]),
    ("one scale for all coordinates", task(), [
        lambda j, bound: 0,
        lambda j, bound: -1,
        lambda j, bound: bound if j % 2 == 0 else -bound,
        lambda j, bound: (-1) ** j * (37 * j + 1) % bound,
    ]),
    ("a scale for each attribute", task(channel=tight(5, 1, 7), epsilon="0.3"), [
        lambda j, bound: -bound,
        lambda j, bound: bound,
        lambda j, bound: (-1) ** j * ((1 << j) + j),
    ]),
    ("calibration paper: one coordinate more", task(channel={"type": "laplace", "calibration": "paper"}), [
        lambda j, bound: j - 4,
        lambda j, bound: -bound if j % 3 else bound,
    ]),
    ("sixteen booleans", task(schema=BOOLEANS), [
        lambda j, bound: j * j - 100,
        lambda j, bound: bound - j,
    ]),
    ("little noise, narrow codes", task(epsilon="64", schema=BOOLEANS[:3]), [
        lambda j, bound: j - 1,
        lambda j, bound: -bound,
    ]),
    ("wide codes", task(epsilon="0.00001", schema=BOOLEANS[:2]), [
        lambda j, bound: bound,
        lambda j, bound: -bound,
        lambda j, bound: -123456 * (j + 1),
    ]),
]

# For each task: records as value indices, each with the groups that the record answers, as (kind, factors). A factor is
# (attribute, number of the question). Questions are numbered from 1. The number of a parity of one bit is its mask.
ANSWERS_ON_CHARACTERS = [
    ("sixteen booleans, the example of the format", task(schema=BOOLEANS, arrangement=CHARACTERS, channel=sampled(
        ("single", 1, 1), ("single", 2, 1))), [
            ([1] + [0] * 15, ("single", [(0, 1), (2, 1)])),
            ([1, 0] * 8, ("single", [(14, 1)])),
            ([1, 0] * 8, ("single", [(0, 1), (14, 1)])),
            ([1, 1] * 8, ("single", [(14, 1), (15, 1)])),
        ]),
    ("three kinds of attributes, every kind of group", task(arrangement=CHARACTERS, channel=sampled(
        ("even", 3, 2), ("raw", 2, 1), ("single", 1, 4), ("raw", 3, 1))), [
            ([1, 2, 5], ("single", [(0, 1)])),
            ([1, 2, 5], ("single", [(1, 1)])),
            ([0, 2, 5], ("single", [(2, 7)])),
            ([1, 2, 5], ("raw", [(0, 1), (1, 3)])),
            ([0, 1, 4], ("raw", [(0, 1), (2, 5)])),
            ([1, 0, 3], ("raw", [(1, 2), (2, 6)])),
            ([1, 1, 1], ("raw", [(0, 1), (1, 3), (2, 7)])),
            ([0, 2, 3], ("raw", [(0, 1), (1, 1), (2, 3)])),
            ([1, 2, 5], ("even", [(0, 1), (1, 2), (2, 4)])),
            ([1, 1, 0], ("even", [(0, 1), (1, 3), (2, 7)])),
            ([0, 1, 5], ("even", [(0, 1), (1, 1), (2, 1)])),
        ]),
    ("only some sets of attributes", task(arrangement=CHARACTERS, schema=BOOLEANS[:5] + SCHEMA, channel=sampled(
        ("single", 1, 3, ["region", "b3"], [1, 5]), ("single", 2, 2, ["age", "b1"]), ("single", 2, 2, ["b4", "b1"]),
        ("raw", 2, 1, ["region", "age", "b0"], [4, 4, 1]))), [
            ([1, 0, 1, 1, 0, 0, 2, 4], ("single", [(3, 1)])),
            ([1, 0, 1, 1, 0, 0, 2, 4], ("single", [(6, 3)])),
            ([0, 1, 0, 0, 1, 1, 1, 5], ("single", [(1, 1), (7, 6)])),
            ([0, 1, 0, 0, 1, 1, 1, 5], ("single", [(1, 1), (4, 1)])),
            ([1, 1, 0, 0, 1, 1, 1, 5], ("raw", [(0, 1), (7, 5)])),
            ([0, 0, 1, 0, 1, 0, 2, 3], ("raw", [(6, 2), (7, 7)])),
        ]),
    ("groups on more attributes than the order", task(arrangement={"type": "characters", "order": 1}, epsilon="3",
                                                      schema=BOOLEANS[:7] + SCHEMA, channel=sampled(("raw", 5, 1))), [
            ([1, 0, 1, 1, 0, 0, 1, 1, 2, 4], ("raw", [(0, 1), (3, 1), (6, 1), (8, 2), (9, 5)])),
            ([0, 1, 0, 0, 0, 0, 1, 0, 1, 2], ("raw", [(1, 1), (2, 1), (4, 1), (7, 1), (9, 2)])),
            ([1, 1, 1, 1, 1, 1, 1, 1, 2, 5], ("raw", [(5, 1), (6, 1), (7, 1), (8, 3), (9, 7)])),
        ]),
    ("half-circles beside parities", task(arrangement=CHARACTERS, channel=asking(
        [("age", "circle", 10, 1, [5, 1, 3], [1, 7, 2])], ("single", 1, 1), ("single", 2, 2), ("raw", 2, 1),
        ("even", 3, 1))), [
            ([1, 2, 5], ("single", [(2, 1)])),
            ([1, 2, 4], ("single", [(2, 9)])),
            ([0, 2, 3], ("single", [(2, 15)])),
            ([1, 2, 5], ("single", [(0, 1), (2, 3)])),
            ([1, 1, 2], ("raw", [(1, 3), (2, 8)])),
            ([1, 1, 4], ("even", [(0, 1), (1, 2), (2, 12)])),
        ]),
    ("arcs that do not divide the circle, levels and values told as they are", task(
        schema=SCHEMA + [{"name": "size", "type": "range", "min": 0, "max": 12}], arrangement=CHARACTERS,
        channel=asking([("size", "levels", [[0, 1], [0, 3], [2, 3]], [1, 1, 1]), ("age", "circle", 7, 2, [1, 3], [2, 1]),
                        ("region", "parities", 2)],
                       ("single", 1, 1, ["smoker"]), ("raw", 1, 1, ["size", "age"]), ("raw", 4, 3))), [
            ([1, 2, 5, 12], ("single", [(0, 1)])),
            ([1, 2, 5, 12], ("raw", [(2, 1)])),
            ([1, 2, 3, 12], ("raw", [(2, 14)])),
            ([1, 2, 3, 11], ("raw", [(3, 1)])),
            ([1, 2, 3, 11], ("raw", [(3, 16)])),
            ([1, 2, 3, 7], ("raw", [(3, 18)])),
            ([1, 2, 3, 12], ("raw", [(3, 21)])),
            ([1, 2, 4, 9], ("raw", [(0, 1), (1, 1), (2, 9), (3, 11)])),
            ([0, 1, 0, 3], ("raw", [(0, 1), (1, 1), (2, 5), (3, 20)])),
        ]),
    ("half-circles over the cells of a range", task(arrangement=CHARACTERS, channel=asking(
        [("age", "circle", 3, 1, [1], [1])], ("single", 1, 1), ("single", 2, 2)), cuts=[
            {"attribute": "age", "starts": [-1, 1, 2], "cells": [0, 1, 0, 2]}]), [
            ([1, 2, 0], ("single", [(2, 1)])),
            ([1, 2, 1], ("single", [(2, 2)])),
            ([1, 2, 2], ("single", [(2, 2)])),
            ([1, 2, 3], ("single", [(2, 3)])),
            ([1, 2, 4], ("single", [(2, 3)])),
            ([1, 2, 5], ("single", [(0, 1), (2, 1)])),
            ([0, 1, 4], ("single", [(1, 3), (2, 2)])),
        ]),
    ("parities of three bits of ten", task(
        schema=[{"name": "city", "type": "range", "min": 1, "max": 1000}], arrangement={"type": "characters", "order": 1},
        channel=asking([("city", "parities", 3)], ("raw", 1, 1))), [
            ([999], ("raw", [(0, 1)])), ([999], ("raw", [(0, 1023)])), ([516], ("raw", [(0, 700)])),
        ]),
    ("three answers, the value itself, and five", task(arrangement=CHARACTERS, channel=asking(
        [("region", "hash", 3), ("age", "hash", 5)], ("raw", 1, 1, ["region"]), ("raw", 3, 2))), [
            ([1, 2, 5], ("raw", [(1, 1)])),
            ([1, 2, 5], ("raw", [(0, 1), (1, 1), (2, 1)])),
            ([0, 1, 4], ("raw", [(0, 1), (1, 1), (2, 21)])),
            ([1, 0, 3], ("raw", [(0, 1), (1, 1), (2, 10)])),
        ]),
]

# For each task: records as value indices, each with the numbers of the groups that the record answers.
ANSWERS_ON_LITERALS = [
    ("literals one by one", task(channel={"type": "sampled", "group_size": 1}), [
        ([1, 2, 5], range(9)), ([0, 0, 0], range(9)), ([0, 1, 3], range(9))]),
    ("literals by four, the last alone", task(channel={"type": "sampled", "group_size": 4}), [
        ([1, 2, 5], range(3)), ([0, 0, 0], range(3)), ([0, 1, 3], range(3))]),
]
