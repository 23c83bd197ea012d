"""The desktop apps of examples/survey, as a person uses them. SURVEY, SURVEY_C and SURVEY_PY name the programs."""

import os
import subprocess
import sys
import unittest

from hearsay import Analyst

from aggregator import AggregatorTest

SCHEMA = [{"name": "smoker", "type": "boolean"}]


class App:
    """Runs an app. The test takes the place of the terminal."""

    def __init__(self, command: list[str], data: str) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "XDG_DATA_HOME": data})

    def type(self, line: str) -> None:
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def read_until(self, part: str) -> str:
        """Returns what the app wrote up to the line with `part`."""
        text = ""
        for line in self.process.stdout:
            text += line
            if part in line:
                return text
        raise AssertionError(f"no line with {part!r} in {text!r}")

    def quit(self) -> int:
        self.type("quit")
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


class SurveyTest(AggregatorTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.task, cls.document = cls.aggregator.create_task("1", SCHEMA)

    def counted(self) -> int:
        with Analyst(self.aggregator.url, ca_file=self.aggregator.certificate, token_file=self.aggregator.token) as of:
            return sum(window.reports for window in of.tally(self.task))

    def run_app(self, data: str, command: list[str], port: int | None = None) -> App:
        server = ["localhost", str(port or self.aggregator.port), self.aggregator.certificate]
        app = App([*command, *server, self.document], data)
        self.addCleanup(app.process.kill)
        app.read_until("Type yes or no")
        return app

    def check(self, *command: str) -> None:
        data = f"{self.temporary.name}/{self.id()}"
        os.mkdir(data)
        before = self.counted()
        app = self.run_app(data, command, port=1)
        app.type("yes")
        app.read_until("thank you")
        app.type("no")
        app.read_until("you have answered already")
        self.assertIn("localhost", app.read_until("your report waits: "))
        self.assertEqual(app.quit(), 0)
        self.assertTrue(os.path.exists(f"{data}/survey/ledger"))

        app = self.run_app(data, command)
        app.read_until("your report was sent")
        self.assertEqual(self.counted(), before + 1)
        app.type("log")
        self.assertIn("habits", app.read_until("habits"))
        app.type("stop")
        app.read_until("reports nothing any more")
        app.type("yes")
        app.read_until("opted out")
        self.assertEqual(app.quit(), 0)

        wrong = subprocess.run(command, capture_output=True, text=True)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("usage", wrong.stdout + wrong.stderr)
        missing = subprocess.run([*command, "localhost", "1", self.aggregator.certificate, "no_such_task.json"],
                                 capture_output=True, text=True, env={**os.environ, "XDG_DATA_HOME": data})
        self.assertNotEqual(missing.returncode, 0)
        self.assertIn("no_such_task.json", missing.stdout + missing.stderr)

    def test_cxx(self) -> None:
        self.check(os.environ["SURVEY"])

    def test_c(self) -> None:
        self.check(os.environ["SURVEY_C"])

    def test_python(self) -> None:
        self.check(sys.executable, os.environ["SURVEY_PY"])


if __name__ == "__main__":
    unittest.main()
