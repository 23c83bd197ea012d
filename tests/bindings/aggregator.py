"""A real aggregator on loopback. HEARSAYD and HEARSAY name the built programs."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from hearsay import HearsayError

HEARSAYD = os.environ["HEARSAYD"]
HEARSAY = os.environ["HEARSAY"]
DAY = 86_400


def run(*arguments: str, **environment: str) -> str:
    result = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, **environment})
    if result.returncode != 0:
        raise RuntimeError(f"{arguments[0]} failed: {result.stderr}")
    return result.stdout


class Aggregator:
    """A daemon on loopback with an administrator's token."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.certificate = f"{directory}/certificate.pem"
        self.token = f"{directory}/token"
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", f"{directory}/key.pem", "-out", self.certificate)
        token = json.loads(run(HEARSAY, "token", "admin", "--write", self.token))
        config = {"store": f"{directory}/store", "certificate": self.certificate,
                  "private_key": f"{directory}/key.pem", "listen": "127.0.0.1:0", "operator_listen": "127.0.0.1:0",
                  "ready_file": f"{directory}/ready.json", "tokens": [token], "log_level": "warn"}
        with open(f"{directory}/hearsayd.json", "w", encoding="utf-8") as file:
            json.dump(config, file)
        self.process = subprocess.Popen([HEARSAYD, "--config", f"{directory}/hearsayd.json"])
        while not os.path.exists(f"{directory}/ready.json"):
            if self.process.poll() is not None:
                raise RuntimeError("the aggregator did not start")
            time.sleep(0.05)
        with open(f"{directory}/ready.json", encoding="utf-8") as file:
            self.port = json.load(file)["port"]
        self.url = f"https://localhost:{self.port}"

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def create_task(self, epsilon: str, schema: list[dict], days_ago: int = 0) -> tuple[str, str]:
        """Creates a task that takes reports now. Returns its id and the file of its document."""
        document = {"version": 2, "title": "habits", "epsilon": epsilon, "schema": schema,
                    "arrangement": {"type": "characters", "order": 1},
                    "channel": {"type": "sampled", "groups": [{"kind": "single", "size": 1, "weight": 1}]},
                    "task_start": today() - days_ago * DAY, "task_duration": 10 * DAY, "time_precision": DAY,
                    "min_batch_size": 1}
        path = f"{self.directory}/task-{epsilon}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        task = run(HEARSAY, "task", "create", path, "--server", self.url, "--ca", self.certificate,
                   "--token-file", self.token).strip()
        return task, path


def today() -> int:
    return int(time.time()) // DAY * DAY


class AggregatorTest(unittest.TestCase):
    """Tests that share one aggregator."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.aggregator = Aggregator(cls.temporary.name)
        cls.addClassCleanup(cls.aggregator.stop)

    def assert_code(self, code: str, call, *arguments, **more) -> HearsayError:
        with self.assertRaises(HearsayError) as raised:
            call(*arguments, **more)
        self.assertEqual(raised.exception.code, code, raised.exception)
        return raised.exception
