#!/usr/bin/env python3
"""Test vectors for the byte formats, made from the format documents alone.

A second implementation of common/task/format.md, common/report/format.md and the payload parts of
common/channel/format.md, sharing nothing with the C++: exact fractions, and the standard library's JSON, SHA-256 and
base64. It writes what is right for correct input and does not validate.

    make_vectors.py           writes companions.json, tasks.json, reports.json, payloads.json and answers.json beside
                              itself
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

import companions
import inputs

# common/task/format.md


def sensitivity(attribute):
    """Returns the largest L1 distance between the embeddings of two values."""
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


def canonical_question(question):
    lowest = dict(question)
    for members in ("levels", "multipliers"):
        if members in question:
            listed = [sorted(m) if isinstance(m, list) else m for m in question[members]]
            both = sorted(zip(listed, in_lowest_terms(question["weights"])))
            lowest[members] = [member for member, _ in both]
            lowest["weights"] = [weight for _, weight in both]
    return lowest


def canonical_questions(questions, schema):
    names = [a["name"] for a in schema]
    other = [canonical_question(q) for q in questions if (q["kind"], q.get("bits")) != ("parities", 1)]
    return sorted(other, key=lambda q: names.index(q["attribute"]))


def signed_bytes(text):
    return [(byte + 128) % 256 - 128 for byte in base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))]


def in_lowest_bytes(text):
    return base64url(bytes(entry % 256 for entry in in_lowest_terms(signed_bytes(text))))


def canonical_arrangement(arrangement):
    if arrangement["type"] != "explicit":
        return arrangement
    queries = [dict(q, vector=in_lowest_bytes(q["vector"])) for q in arrangement["queries"]]
    return dict(arrangement, records=in_lowest_bytes(arrangement["records"]),
                queries=sorted(queries, key=lambda q: q["query"].encode()))


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
    task["arrangement"] = canonical_arrangement(task["arrangement"])
    channel = task["channel"]
    if "groups" in channel:
        channel["groups"] = canonical_groups(channel["groups"], task["schema"])
    if "questions" in channel:
        channel["questions"] = canonical_questions(channel["questions"], task["schema"])
        if not channel["questions"]:
            del channel["questions"]
    if "cuts" in task:
        names = [a["name"] for a in task["schema"]]
        task["cuts"].sort(key=lambda c: names.index(c["attribute"]))
        for cut in task["cuts"]:
            if cut.get("cells") == list(range(len(cut["starts"]) + 1)):
                del cut["cells"]
    return json.dumps(task, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def with_cells(task, record):
    """Returns the schema whose values are the cells of the cuts, and the record in this schema."""
    schema, record = list(task["schema"]), list(record)
    for cut in task.get("cuts", []):
        i = [a["name"] for a in schema].index(cut["attribute"])
        cells = cut.get("cells") or list(range(len(cut["starts"]) + 1))
        record[i] = cells[sum(schema[i]["min"] + record[i] >= start for start in cut["starts"])]
        schema[i] = {"name": cut["attribute"], "type": "categorical", "values": [str(c) for c in sorted(set(cells))]}
    return dict(task, schema=schema), record


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


# Sources: common/channel/format.md, and the scales in the comments of common/channel/laplace.h.


def ceil_sqrt(n):
    root = math.isqrt(n)
    return root if root * root == n else root + 1


def explicit_vectors(arrangement):
    """Returns the vectors of the canonical form, one for each record."""
    entries = signed_bytes(canonical_arrangement(arrangement)["records"])
    d = arrangement["dimension"]
    return [entries[at:at + d] for at in range(0, len(entries), d)]


def explicit_scales(task):
    vectors = explicit_vectors(task["arrangement"])
    d = task["arrangement"]["dimension"]
    if task["channel"]["calibration"] == "paper":
        # The scale is (2/epsilon)·sqrt(d·R²), rounded up to a multiple of 2/(2^16·epsilon). R is the largest norm of a
        # vector.
        square = d * max(sum(entry * entry for entry in u) for u in vectors)
        scale = Fraction(2 * ceil_sqrt(square << 32), 1 << 16)
    else:
        scale = Fraction(max(sum(abs(a - b) for a, b in zip(u, v)) for u in vectors for v in vectors))
    return [scale / Fraction(task["epsilon"])] * d


def largest_entry(task):
    if task["arrangement"]["type"] != "explicit":
        return 1
    return max(abs(entry) for u in explicit_vectors(task["arrangement"]) for entry in u)


def scales(task):
    if task["arrangement"]["type"] == "explicit":
        return explicit_scales(task)
    epsilon = Fraction(task["epsilon"])
    schema = task["schema"]
    if task["channel"]["calibration"] == "paper":
        d = sum(dimension(a) for a in schema)
        # The scale is (2/epsilon)·sqrt(2d(d+1)), rounded up to a multiple of 2/(2^16·epsilon).
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
    return [largest_entry(task) + math.ceil((log2_inverse + 1) * scale * ln2_above) for scale in t]


def payload(y, bound):
    stream = 0
    length = 0
    for value, limit in zip(y, bound):
        code = 2 * value if value >= 0 else -2 * value - 1
        stream |= code << length
        length += (2 * limit).bit_length()
    return stream.to_bytes((length + 7) // 8, "little")


# common/channel/format.md, `sampled`


def values_of(attribute):
    if attribute["type"] == "boolean":
        return 2
    if attribute["type"] == "categorical":
        return len(attribute["values"])
    return attribute["max"] - attribute["min"] + 1


def bits_of(attribute):
    """Returns the number of binary digits of the value indices."""
    return (values_of(attribute) - 1).bit_length()


def elementary_symmetric(numbers, degree):
    return sum(math.prod(chosen) for chosen in itertools.combinations(numbers, degree))


def rank(factors, counts):
    """`counts` has the number of questions of each attribute."""
    if not factors:
        return 0
    attribute, c = factors[-1]
    below = elementary_symmetric(counts[:attribute], len(factors))
    return below + counts[attribute] * rank(factors[:-1], counts) + c - 1


def odd(number):
    return number.bit_count() % 2


def remainder(polynomial, divisor):
    """Returns the remainder of polynomials over GF(2). Bit i is the coefficient of x^i."""
    while polynomial.bit_length() >= divisor.bit_length():
        polynomial ^= divisor << polynomial.bit_length() - divisor.bit_length()
    return polynomial


def field_product(a, b, degree):
    irreducible = next(p for p in itertools.count(1 << degree)
                       if all(remainder(p, q) for q in range(2, 1 << degree // 2 + 1)))
    product = 0
    for bit in range(degree):
        if b >> bit & 1:
            product ^= a << bit
    return remainder(product, irreducible)


def parities(value_bits, bits):
    if bits == 1:
        return [lambda value, mask=mask: odd(value & mask) for mask in range(1, 1 << value_bits)]
    if bits == value_bits:
        return [lambda value: value]
    return [lambda value, a=a: field_product(a, value, value_bits) % 2**bits for a in range(1, 1 << value_bits)]


def levels(value_bits, sets):
    questions = []
    for chosen in sets:
        free = [(i, bit) for i, level in enumerate(chosen) for bit in range(level + 1, value_bits) if bit not in chosen]
        for number in range(1 << len(free)):
            masks = [1 << level for level in chosen]
            for place, (i, bit) in enumerate(free):
                masks[i] |= (number >> place & 1) << bit
            questions.append(lambda value, masks=masks: sum(odd(value & m) << i for i, m in enumerate(masks)))
    return questions


def circle(count, bits, multipliers):
    arcs = 2**bits
    turns = count if count % arcs else count // arcs
    return [lambda value, j=j, turn=turn: arcs * ((j * value + turn) % count) // count
            for j in multipliers for turn in range(turns)]


def hashes(values, answers):
    if answers == values:
        return [lambda value: value]
    prime = next(n for n in itertools.count(values) if all(n % d for d in range(2, n)))
    return [lambda value, j=j, turn=turn: answers * ((j * value + turn) % prime) // prime
            for j in range(1, (prime + 1) // 2) for turn in range(prime)]


def questions_of(task):
    """Returns for each attribute the bits of an answer, and the questions as functions of the value's number."""
    schema = task["schema"]
    given = {q["attribute"]: q for q in canonical_questions(task["channel"].get("questions", []), schema)}
    result = []
    for attribute in schema:
        spec = given.get(attribute["name"], {"kind": "parities", "bits": 1})
        value_bits = bits_of(attribute)
        if spec["kind"] == "parities":
            result.append((spec["bits"], parities(value_bits, spec["bits"])))
        elif spec["kind"] == "levels":
            result.append((len(spec["levels"][0]), levels(value_bits, spec["levels"])))
        elif spec["kind"] == "hash":
            result.append(((spec["answers"] - 1).bit_length(), hashes(values_of(attribute), spec["answers"])))
        else:
            result.append((spec["bits"], circle(spec["places"], spec["bits"], spec["multipliers"])))
    return result


def width(element, task):
    """The number of bits in an answer to a group of this element of `groups`."""
    if element["kind"] != "raw":
        return {"single": 1, "even": element["size"] - 1}[element["kind"]]
    questions = questions_of(task)
    asked = places(element, [a["name"] for a in task["schema"]])
    # Any attributes of `asked` give this sum: a group takes all of them, or all answers have the same number of bits.
    return sum(questions[i][0] for i in asked[: element["size"]])


def number_of_group(task, kind, factors):
    """The number of the first group that asks this, and how many groups there are."""
    schema = task["schema"]
    names = [a["name"] for a in schema]
    questions = questions_of(task)
    first = 0
    number = None
    for element in canonical_groups(task["channel"]["groups"], schema):
        asked = places(element, names)
        counts = [len(questions[i][1]) for i in asked]
        asks = all(attribute in asked for attribute, _ in factors)
        if number is None and asks and (element["kind"], element["size"]) == (kind, len(factors)):
            number = first + rank([(asked.index(attribute), c) for attribute, c in factors], counts)
        first += elementary_symmetric(counts, element["size"])
    return number, first


def true_answer(task, kind, factors, record):
    questions = questions_of(task)
    answers = [questions[attribute][1][c - 1](record[attribute]) for attribute, c in factors]
    if kind == "single":
        return sum(answers) % 2
    if kind == "even":
        return sum((answers[0] ^ answer) << i for i, answer in enumerate(answers[1:]))
    bits = 0
    shift = 0
    for (attribute, _), answer in zip(factors, answers):
        bits |= answer << shift
        shift += questions[attribute][0]
    return bits


def literals(schema, record):
    """Returns 1 for each literal that is -1, and 0 for the others."""
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
    given = json.loads(document)
    task = with_cells(given, records[0][0])[0]
    widest = max(width(g, task) for g in task["channel"]["groups"])
    reports = []
    for record, (kind, factors) in records:
        group, groups = number_of_group(task, kind, factors)
        answer = true_answer(task, kind, factors, with_cells(given, record)[1])
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
        "companions.json": companions.vectors(),
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
