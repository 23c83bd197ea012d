#!/usr/bin/env python3
"""Test vectors for the byte formats, made from the format documents alone.

A second implementation of common/task/format.md, common/report/format.md and the payload parts of
common/channel/format.md, sharing nothing with the C++: exact fractions, and the standard library's JSON, SHA-256 and
base64. It writes what is right for correct input and does not validate.

    make_vectors.py           writes tasks.json, reports.json, payloads.json and answers.json beside itself
    make_vectors.py --check   exits with 1 if they are not what it would write
"""

import base64
import hashlib
import itertools
import json
import math
import pathlib
import sys
from fractions import Fraction

import inputs

# common/task/format.md


def sensitivity(attribute):
    """The largest L1 distance between the embeddings of two values."""
    if attribute["type"] == "boolean":
        return 2
    if attribute["type"] == "categorical":
        return 4
    return 2 * (attribute["max"] - attribute["min"])


def dimension(attribute):
    """The number of coordinates under `literals`."""
    if attribute["type"] == "boolean":
        return 1
    if attribute["type"] == "categorical":
        return len(attribute["values"])
    return attribute["max"] - attribute["min"]


def in_lowest_terms(numbers):
    divisor = math.gcd(*numbers)
    return [n // divisor for n in numbers]


def canonical_epsilon(text):
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text


def places(group, names):
    """The attributes that a group may ask, as places in the schema."""
    return sorted(names.index(name) for name in group.get("attributes", names))


def canonical_group(group, names):
    asked = group.get("attributes", names)
    odds = in_lowest_terms(group.get("odds", [1] * len(asked)))
    by_place = sorted(zip((names.index(name) for name in asked), odds))
    lowest = {"kind": group["kind"], "size": group["size"], "weight": group["weight"]}
    if len(asked) < len(names):
        lowest["attributes"] = [names[place] for place, _ in by_place]
    if len(set(odds)) > 1 and group["size"] < len(asked):
        lowest["odds"] = [o for _, o in by_place]
    return lowest


def canonical_groups(groups, schema):
    names = [a["name"] for a in schema]
    weights = in_lowest_terms([g["weight"] for g in groups])
    order = ("single", "raw", "even")
    lowest = [dict(canonical_group(g, names), weight=w) for g, w in zip(groups, weights)]
    return sorted(lowest, key=lambda g: (order.index(g["kind"]), g["size"],
                                         places(g, names) if "attributes" in g else [], g.get("odds", [])))


def canonical_task(text):
    task = json.loads(text)
    if not task.get("title"):
        task.pop("title", None)
    for attribute in task["schema"]:
        for text in ("title", "unit"):
            if not attribute.get(text):
                attribute.pop(text, None)
    task["epsilon"] = canonical_epsilon(task["epsilon"])
    shares = task["channel"].get("shares")
    if shares is not None:
        shares = in_lowest_terms(shares)
        if shares == in_lowest_terms([sensitivity(a) for a in task["schema"]]):
            del task["channel"]["shares"]
        else:
            task["channel"]["shares"] = shares
    channel = task["channel"]
    if "groups" in channel:
        channel["groups"] = canonical_groups(channel["groups"], task["schema"])
    return json.dumps(task, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def task_id(canonical):
    return base64url(hashlib.sha256(canonical.encode()).digest())


# common/report/format.md


def cbor_head(major_type, value):
    if value < 24:
        return bytes([major_type << 5 | value])
    for information, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 1 << 8 * size:
            return bytes([major_type << 5 | information]) + value.to_bytes(size, "big")
    raise ValueError("needs more than 64 bits")


def cbor_report(identifier, time, payload):
    return b"".join(
        (
            cbor_head(4, 4),
            cbor_head(0, 1),
            cbor_head(2, len(identifier)),
            identifier,
            cbor_head(0, time),
            cbor_head(2, len(payload)),
            payload,
        )
    )


def json_report(identifier, time, payload):
    return {"id": base64url(identifier), "payload": base64url(payload), "time": time, "version": 1}


# common/channel/format.md and the scales stated in common/channel/laplace.h


def ceil_sqrt(n):
    root = math.isqrt(n)
    return root if root * root == n else root + 1


def scales(task):
    epsilon = Fraction(task["epsilon"])
    schema = task["schema"]
    if task["channel"]["calibration"] == "paper":
        d = sum(dimension(a) for a in schema)
        # (2/epsilon)·sqrt(2d(d+1)), rounded up to a multiple of 2/(2^16·epsilon).
        multiple = ceil_sqrt(2 * d * (d + 1) << 32)
        return [Fraction(2 * multiple, 1 << 16) / epsilon] * (d + 1)
    shares = task["channel"].get("shares") or [sensitivity(a) for a in schema]
    result = []
    for attribute, share in zip(schema, shares):
        scale = sensitivity(attribute) * Fraction(sum(shares), share) / epsilon
        result += [scale] * dimension(attribute)
    return result


def bounds(task):
    t = scales(task)
    log2_inverse = 65 + len(t).bit_length()
    ln2_above = Fraction(6931472, 10**7)
    return [1 + math.ceil((log2_inverse + 1) * scale * ln2_above) for scale in t]


def payload(y, bound):
    stream = 0
    length = 0
    for value, limit in zip(y, bound):
        code = 2 * value if value >= 0 else -2 * value - 1
        stream |= code << length
        length += (2 * limit).bit_length()
    return stream.to_bytes((length + 7) // 8, "little")


# common/channel/format.md, `sampled`


def bits_of(attribute):
    """Binary digits of the value indices."""
    if attribute["type"] == "boolean":
        return 1
    if attribute["type"] == "categorical":
        return (len(attribute["values"]) - 1).bit_length()
    return (attribute["max"] - attribute["min"]).bit_length()


def elementary_symmetric(numbers, degree):
    return sum(math.prod(chosen) for chosen in itertools.combinations(numbers, degree))


def rank(factors, masks):
    """masks: how many each attribute has."""
    if not factors:
        return 0
    attribute, mask = factors[-1]
    below = elementary_symmetric(masks[:attribute], len(factors))
    return below + masks[attribute] * rank(factors[:-1], masks) + mask - 1


def width(kind, size):
    return {"single": 1, "raw": size, "even": size - 1}[kind]


def number_of_group(task, kind, factors):
    """The number of the first group that asks this, and how many groups there are."""
    schema = task["schema"]
    names = [a["name"] for a in schema]
    first = 0
    number = None
    for element in canonical_groups(task["channel"]["groups"], schema):
        asked = places(element, names)
        masks = [2 ** bits_of(schema[i]) - 1 for i in asked]
        asks = all(attribute in asked for attribute, _ in factors)
        if number is None and asks and (element["kind"], element["size"]) == (kind, len(factors)):
            number = first + rank([(asked.index(attribute), mask) for attribute, mask in factors], masks)
        first += elementary_symmetric(masks, element["size"])
    return number, first


def is_negative(factor, record):
    attribute, mask = factor
    return (record[attribute] & mask).bit_count() % 2


def true_answer(kind, factors, record):
    negative = [is_negative(f, record) for f in factors]
    if kind == "single":
        return sum(negative) % 2
    if kind == "even":
        negative = [negative[0] ^ n for n in negative[1:]]
    return sum(n << i for i, n in enumerate(negative))


def literals(schema, record):
    """1 for each literal that is -1."""
    negative = []
    for attribute, value in zip(schema, record):
        if attribute["type"] == "boolean":
            negative.append(1 - value)
        elif attribute["type"] == "categorical":
            negative += [int(value != j) for j in range(len(attribute["values"]))]
        else:
            negative += [int(value < t) for t in range(1, attribute["max"] - attribute["min"] + 1)]
    return negative


def answer_payload(group, groups, answer, widest):
    size = (((groups - 1 << widest) + 2**widest - 1).bit_length() + 7) // 8
    return (group << widest | answer).to_bytes(size, "little")


# The files


def task_vector(about, document):
    canonical = canonical_task(document)
    return {"about": about, "document": document, "canonical": canonical, "id": task_id(canonical)}


def report_vector(about, identifier, time, data):
    return {
        "about": about,
        "id": identifier.hex(),
        "time": time,
        "payload": data.hex(),
        "cbor": cbor_report(identifier, time, data).hex(),
        "json": json_report(identifier, time, data),
    }


def payload_vector(about, document, patterns):
    bound = bounds(json.loads(document))
    reports = []
    for pattern in patterns:
        y = [pattern(j, limit) for j, limit in enumerate(bound)]
        reports.append({"y": y, "payload": payload(y, bound).hex()})
    return {"about": about, "task": document, "bounds": bound, "reports": reports}


def answers_on_characters(about, document, records):
    task = json.loads(document)
    widest = max(width(g["kind"], g["size"]) for g in task["channel"]["groups"])
    reports = []
    for record, (kind, factors) in records:
        group, groups = number_of_group(task, kind, factors)
        answer = true_answer(kind, factors, record)
        data = answer_payload(group, groups, answer, widest)
        reports.append({"record": record, "group": group, "answer": answer, "payload": data.hex()})
    return {"about": about, "task": document, "groups": groups, "reports": reports}


def answers_on_literals(about, document, records):
    task = json.loads(document)
    size = task["channel"]["group_size"]
    d = sum(dimension(a) for a in task["schema"])
    groups = -(-d // size)
    reports = []
    for record, told in records:
        negative = literals(task["schema"], record)
        for group in told:
            answer = sum(n << i for i, n in enumerate(negative[size * group : size * (group + 1)]))
            data = answer_payload(group, groups, answer, min(size, d))
            reports.append({"record": record, "group": group, "answer": answer, "payload": data.hex()})
    return {"about": about, "task": document, "groups": groups, "reports": reports}


def files():
    return {
        "tasks.json": [task_vector(*each) for each in inputs.TASKS],
        "reports.json": [report_vector(*each) for each in inputs.REPORTS],
        "payloads.json": [payload_vector(*each) for each in inputs.PAYLOADS],
        "answers.json": [answers_on_characters(*each) for each in inputs.ANSWERS_ON_CHARACTERS]
        + [answers_on_literals(*each) for each in inputs.ANSWERS_ON_LITERALS],
    }


def main():
    folder = pathlib.Path(__file__).resolve().parent
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    stale = []
    for name, vectors in files().items():
        text = json.dumps(vectors, indent=1, ensure_ascii=False) + "\n"
        path = folder / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        sys.exit("not what the format documents give: " + ", ".join(stale))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
