"""Checks the project's Markdown files: no line is longer than 120 characters, and every relative link leads to a file.
A link to a source file with a text in ("…") behind it names one of the file's test cases. No link has a title, since the
site and telephones do not show titles.

    python3 -B check_markdown.py FOLDER       # prints each fault as file:line; exit status 1 if there is one
    python3 -B check_markdown.py --planted    # plants faults in a temporary folder; exit status 1 if one goes unseen

Lines inside a code fence may have any length. So may a line that would fit without one of its links' targets or URLs.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

COLUMNS = 120
FENCE = re.compile(r" {0,3}(```+|~~~+)")
ADDRESS = re.compile(r"\]\([^)\s]*\)|https?://\S+")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?(\s+\"[^\"]*\")?\)")
NAMED_TEST = re.compile(r"\]\(([^)\s]+\.cc)\)\s+\(\"([^\"]+)\"\)")


def markdown_files(folder):
    """Returns all Markdown files below `folder`, except in hidden folders and in build folders at the top."""
    for path, folders, files in os.walk(folder):
        top = Path(path) == folder
        folders[:] = sorted(f for f in folders if not f.startswith(".") and not (top and f.startswith("build")))
        for name in sorted(files):
            if name.endswith(".md"):
                yield Path(path) / name


def fits(line):
    """Returns True if `line` has at most COLUMNS characters, or would have without one of its addresses."""
    longest = max((len(address) for address in ADDRESS.findall(line)), default=0)
    return len(line) - longest <= COLUMNS


def faults(file):
    """Returns the faults of one file, as (line number, message)."""
    fence = None
    text = file.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence is not None:
            if mark and mark[1].startswith(fence):
                fence = None
            continue
        if mark:
            fence = mark[1]
            continue
        if not fits(line):
            yield number, f"{len(line)} characters; at most {COLUMNS}, so break the line or make a list of the table"
        for target, title in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            if not (file.parent / target).exists():
                yield number, f"the link leads to no file: {target}"
            elif title:
                yield number, f"the link's title is not shown everywhere; write it behind the link: {target}"
    for match in NAMED_TEST.finditer(text):
        source, name = file.parent / match[1], " ".join(match[2].split())
        if source.exists() and f'TEST_CASE("{name}"' not in source.read_text(encoding="utf-8"):
            yield text.count("\n", 0, match.start()) + 1, f"{match[1]} has no test case of this name: {name}"


def check(folder):
    """Prints all faults below `folder` and returns their number."""
    count = 0
    for file in markdown_files(folder):
        for number, message in faults(file):
            print(f"{file.relative_to(folder)}:{number}: {message}")
            count += 1
    return count


# Pairs of a text and the number of faults in this text.
PLANTED = [
    ("a" * 120, 0),
    ("ε" * 120, 0),  # 240 bytes
    ("a " * 61, 1),
    ("| cell | " + "a " * 60 + "|", 1),
    ("- " + "a " * 60, 1),
    ("```\n" + "a " * 70 + "\n```", 0),
    ("```\ncode\n```\n" + "a " * 70, 1),
    ("see https://example.org/" + "a" * 120, 0),
    ("see [that](https://example.org/" + "a" * 120 + ")", 0),
    ("a " * 70 + "https://example.org/", 1),
    ("[here](planted.md)", 0),
    ("[nowhere](missing.md)", 1),
    ("[nowhere](missing.md#place)", 1),
    ("[a title](planted.md \"title\")", 1),
    ("[here](planted.md) (\"not a source file\")", 0),
    ("[a test](planted.cc) (\"here\")", 0),
    ("[a test](planted.cc) (\"two\n  words\")", 0),
    ("[a test](planted.cc)\n(\"another\")", 1),
]


def check_planted():
    """Returns the number of planted texts for which check() finds another number of faults than PLANTED says."""
    wrong = 0
    for text, expected in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            inner = Path(folder) / "folder"
            inner.mkdir()
            (inner / "planted.cc").write_text('TEST_CASE("here") {}\nTEST_CASE("two words") {}\n', encoding="utf-8")
            (inner / "planted.md").write_text(text + "\n", encoding="utf-8")
            found = check(Path(folder))
        if found != expected:
            print(f"{found} faults found instead of {expected}: {text[:40]}…")
            wrong += 1
    return wrong


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(1 if (check_planted() if sys.argv[1] == "--planted" else check(Path(sys.argv[1]))) else 0)
