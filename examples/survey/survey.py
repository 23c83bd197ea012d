"""A desktop app: asks one question on the terminal, and reports the answer in the background.

usage: survey.py HOST PORT CA_FILE TASK_FILE
"""

import os
import pathlib
import random
import sys
import threading

from hearsay import Client, HearsayError, Ledger, Task

# The app's own limits, which no task can change: only this question, once in 90 days, at a cost of at most ε = 2.
SCHEMA = '[{"name": "smoker", "type": "boolean"}]'
EPSILON = "2"
PERIOD = 90 * 86_400
DELAY = 1  # seconds; a random delay hides when the person answered. A real app takes hours
RETRY = 900
STATES = {"pending": "waits", "delivered": "sent", "dropped": "given up"}


def ledger_file() -> pathlib.Path:
    """The file in the user's data directory. Keep it out of backups: a restored copy lacks later payments."""
    base = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
    (base / "survey").mkdir(parents=True, exist_ok=True)
    return base / "survey" / "ledger"


def flush_in_background(client: Client, wanted: threading.Event, stopping: threading.Event) -> None:
    waiting = True  # reports of an earlier run may wait
    while wanted.wait(RETRY if waiting else None) or waiting:
        wanted.clear()
        if stopping.wait(random.SystemRandom().uniform(0, DELAY)):
            return
        sent = client.flush(30)
        waiting = sent.pending > 0
        if sent.delivered:
            print("your report was sent", flush=True)
        if waiting:
            print(f"your report waits: {sent.problem}", flush=True)


def answer(line: str, client: Client, ledger: Ledger, wanted: threading.Event) -> None:
    if line in ("yes", "no"):
        print("thank you" if client.submit({"smoker": line == "yes"}) else "you have answered already")
        wanted.set()
    elif line == "log":
        for report in ledger.log():
            print(f"{report.title}: epsilon {report.epsilon}, {STATES[report.state]}: {report.bytes}")
    elif line == "stop":
        client.opt_out()
        print("this app reports nothing any more")


def survey(host: str, port: str, ca_file: str, task_file: str) -> None:
    task = Task(pathlib.Path(task_file).read_text(encoding="utf-8"))
    server = {"host": host, "port": int(port), "ca_file": ca_file}
    wanted, stopping = threading.Event(), threading.Event()
    with Ledger(ledger_file(), period_seconds=PERIOD, budget=EPSILON) as ledger:
        with Client(ledger, task, max_epsilon=EPSILON, schema=SCHEMA, **server) as client:
            background = threading.Thread(target=flush_in_background, args=(client, wanted, stopping))
            background.start()
            wanted.set()
            print("Do you smoke? Nobody learns your answer: it is randomized on this device.")
            print("Type yes or no; log, stop (for good) or quit.", flush=True)
            for line in iter(sys.stdin.readline, ""):
                if line == "quit\n":
                    break
                try:
                    answer(line.strip(), client, ledger, wanted)
                except HearsayError as error:
                    print(error)
                sys.stdout.flush()
            stopping.set()
            wanted.set()
            client.cancel()
            background.join()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    survey(*sys.argv[1:])
