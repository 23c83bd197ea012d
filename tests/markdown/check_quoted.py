"""Checks that Markdown files quote source files as they are.

    python3 -B check_quoted.py TEXT.md SOURCE...    # exit status 1 unless each source is a block of the text
"""

import sys
from pathlib import Path


def is_quoted(source: str, text: str) -> bool:
    block = "".join(f"    {line}" if line.strip() else line for line in source.splitlines(keepends=True))
    return f"\n\n{block}\n" in text or f"\n{source}```\n" in text


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    missing = [source for source in sys.argv[2:] if not is_quoted(Path(source).read_text(encoding="utf-8"), text)]
    for source in missing:
        print(f"{sys.argv[1]} does not quote {source}")
    sys.exit(1 if missing else 0)
