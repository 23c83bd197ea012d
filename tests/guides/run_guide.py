"""Runs every command and code block of a guide, in order, as a reader would paste them.

    python3 -B run_guide.py GUIDE.md PROGRAMS...    # exit status 1 if a block fails, or shows other output
    python3 -B run_guide.py --planted               # faulty guides; exit status 1 if a fault goes unseen

PROGRAMS are folders with the built programs; they and the project's examples/ go in front of PATH. All blocks of a guide
run in one bash, in an empty folder that is the home as well. What a block is, its first line and the comment before it say:

    ```sh                          commands
    ```text                        what the commands before it print; `…` stands for any characters or lines
    <!-- file: NAME -->            the block below is saved as NAME; the text before it must name `NAME`, since no reader
                                   sees this comment
    <!-- from: PATH -->            the block below stands in that file of the project, which another test runs
    <!-- not run: REASON -->       the block below is not run
    <!-- numbers vary -->          each number of the text below stands for any number

Any other block is a fault: nothing shows that it works.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE = 600  # seconds; only a block that hangs takes so long
OPEN = re.compile(r"^```(\S*)(?:\s.*)?$")
COMMENT = re.compile(r"^<!-- (?:(file|from|not run): (.+?)|(numbers vary)) -->$")
MARK = "@@ line "


class Fault(Exception):
    """A guide that does not do what it shows."""


def blocks(text):
    """Returns the fenced blocks as (line, language, (kind, value) of the comment or None, content)."""
    lines = text.splitlines()
    comment = None
    prose = ""  # the prose since the block before
    number = 0
    while number < len(lines):
        line = lines[number]
        opened = OPEN.match(line)
        if opened:
            end = next((n for n in range(number + 1, len(lines)) if lines[n] == "```"), None)
            if end is None:
                raise Fault(f"line {number + 1}: the block has no end")
            if comment and comment[0] == "file" and f"`{comment[1]}`" not in prose:
                raise Fault(f"line {number + 1}: the text before the block does not say that it is `{comment[1]}`")
            yield number + 1, opened[1], comment, "\n".join(lines[number + 1:end]) + "\n"
            comment = None
            prose = ""
            number = end
        elif line.startswith("    ") and (number == 0 or not lines[number - 1].strip()):
            raise Fault(f"line {number + 1}: an indented block, which nothing runs")
        elif match := COMMENT.match(line):
            comment = (match[1] or match[3], match[2])
        elif line.strip():
            comment = None
            prose += line
        number += 1


def script_of(text):
    """Returns a bash script of all blocks, and the expected outputs as {line of the commands: [(line, text, vary)]}."""
    parts, expected, shown = ["set -euo pipefail"], {}, None
    for line, language, comment, content in blocks(text):
        kind, value = comment or (None, None)
        if kind == "not run" or language.startswith("{"):
            continue
        if kind == "from":
            if content.strip("\n") not in (PROJECT / value).read_text(encoding="utf-8"):
                raise Fault(f"line {line}: {value} has no such lines")
        elif kind == "file":
            parts.append(f"cat >'{value}' <<'END_OF_BLOCK'\n{content}END_OF_BLOCK")
        elif language == "sh":
            parts.append(f"echo '{MARK}{line}'\n{{\n{content}}} 2>&1")
            shown = line
        elif language == "text" and shown is not None:
            expected.setdefault(shown, []).append((line, content, kind == "numbers vary"))
        else:
            raise Fault(f"line {line}: a block that nothing runs")
    parts.append(f"echo '{MARK}0'")
    return "\n".join(parts) + "\n", expected


def word_pattern(word, vary):
    """Returns a regular expression for `word`. With `vary`, each number in `word` stands for any number."""
    parts = re.split(r"([-−]?\d[\d.,]*)", word) if vary else [word]
    return "".join(r"[-−]?\d[\d.,e+-]*" if k % 2 else re.escape(part) for k, part in enumerate(parts))


def shows(pattern, output, vary):
    """Returns True if `output` holds `pattern`. Each … matches any text. All runs of blanks are equal."""
    parts = [r"\s+".join(word_pattern(word, vary) for word in part.split()) for part in pattern.split("…")]
    return re.search(r".*?".join(rf"\s*{part}\s*" for part in parts), output, re.DOTALL) is not None


def run(script, folder, programs):
    """Runs the script in `folder`, then ends its programs. Returns its status and {line of commands: output}."""
    environment = {**os.environ, "HOME": folder, "XDG_DATA_HOME": f"{folder}/.local/share", "LC_ALL": "C.UTF-8",
                   "HEARSAY_SOURCE": str(PROJECT),
                   "PATH": os.pathsep.join([*programs, str(PROJECT / "examples"), os.environ["PATH"]])}
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            status = "no end"
        try:
            os.killpg(process.pid, signal.SIGTERM)  # the daemon that the guide started, and nothing else
        except ProcessLookupError:
            pass
        log.seek(0)
        sections = re.split(rf"^{MARK}(\d+)\n", log.read(), flags=re.MULTILINE)
    return status, list(zip(map(int, sections[1::2]), sections[2::2]))


def check(text, programs):
    """Raises Fault unless every block of the guide works."""
    script, expected = script_of(text)
    with tempfile.TemporaryDirectory(prefix="guide-", ignore_cleanup_errors=True) as folder:
        status, sections = run(script, folder, programs)
    if status != 0:
        line, output = sections[-1] if sections else (0, "")
        raise Fault(f"line {line}: exit status {status}\n{output}")
    for line, output in sections:
        for where, pattern, vary in expected.get(line, []):
            if not shows(pattern, output, vary):
                raise Fault(f"line {where}: the commands of line {line} print something else:\n{output}")


# Each pair is a guide, and True if the guide has no fault.
PLANTED = [
    ("```sh\necho one two\n```\n\n```text\none  two\n```\n", True),
    ("```sh\nX=3\n```\n\n```sh\ncd /\necho $X is\necho more\n```\n\n```text\n3 … more\n```\n", True),
    ("Save as `a.txt`:\n\n<!-- file: a.txt -->\n```json\n{}\n```\n\n```sh\ngrep '{}' a.txt\n```\n", True),
    ("```sh\necho '0.21 of 1,000 is 210'\n```\n\n<!-- numbers vary -->\n```text\n-0.3 of 24 is 5.5\n```\n", True),
    ("```sh\necho '0.21 of 1,000 is 210'\n```\n\n<!-- numbers vary -->\n```text\n0.21 in 1,000\n```\n", False),
    ("```sh\necho 0.21\n```\n\n```text\n0.22\n```\n", False),
    ("<!-- not run: needs a phone -->\n```sh\nfalse\n```\n", True),
    ("```sh\nfalse\n```\n", False),
    ("```sh\nfalse | true\n```\n", False),
    ("```sh\necho one\n```\n\n```text\ntwo\n```\n", False),
    ("```sh\necho one\n```\n\n```sh\necho two\n```\n\n```text\none\n```\n", False),
    ("```cpp\nint main() {}\n```\n", False),
    ("text\n\n    indented\n", False),
    ("A file:\n\n<!-- file: a.txt -->\n```json\n{}\n```\n", False),
    ("`a.txt`:\n\n```sh\ntrue\n```\n\n<!-- file: a.txt -->\n```json\n{}\n```\n", False),
    ("```sh\ntrue\n", False),
    ("<!-- from: README.md -->\n```cpp\nno such line\n```\n", False),
]


def check_planted():
    """Returns the number of planted guides about which check() is wrong."""
    wrong = 0
    for text, sound in PLANTED:
        try:
            check(text, [])
            seen = True
        except Fault:
            seen = False
        if seen != sound:
            print(f"{'refused' if sound else 'passed'}: {text!r}")
            wrong += 1
    return wrong


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--planted":
        sys.exit(1 if check_planted() else 0)
    try:
        check(Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2:])
    except Fault as fault:
        sys.exit(f"{sys.argv[1]}: {fault}")
