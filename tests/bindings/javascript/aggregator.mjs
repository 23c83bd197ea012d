// A real aggregator on loopback. The environment variables HEARSAYD and HEARSAY hold the paths of the built programs.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { get } from "node:https";
import { text } from "node:stream/consumers";

const { HEARSAY, HEARSAYD } = process.env;

export class Aggregator {
  /** Starts an aggregator. Pages of `allowed_origins` may report. */
  static async start(directory, allowed_origins) {
    const aggregator = new Aggregator();
    aggregator.directory = directory;
    aggregator.certificate = `${directory}/certificate.pem`;
    aggregator.token = `${directory}/token`;
    execFileSync("openssl", [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
      "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", `${directory}/key.pem`,
      "-out", aggregator.certificate,
    ], { stdio: "ignore" });
    const token = JSON.parse(aggregator.hearsay("token", "admin", "--write", aggregator.token));
    writeFileSync(`${directory}/hearsayd.json`, JSON.stringify({
      store: `${directory}/store`, certificate: aggregator.certificate, private_key: `${directory}/key.pem`,
      listen: "127.0.0.1:0", operator_listen: "127.0.0.1:0", ready_file: `${directory}/ready.json`, tokens: [token],
      log_level: "warn", allowed_origins,
    }));
    aggregator.process = spawn(HEARSAYD, ["--config", `${directory}/hearsayd.json`], { stdio: "inherit" });
    while (!existsSync(`${directory}/ready.json`)) {
      if (aggregator.process.exitCode !== null) throw new Error("the aggregator did not start");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    aggregator.url = `https://localhost:${JSON.parse(readFileSync(`${directory}/ready.json`)).port}`;
    return aggregator;
  }

  hearsay(...args) {
    return execFileSync(HEARSAY, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Creates the task. Returns the task's id. */
  createTask(document) {
    const file = `${this.directory}/task.json`;
    writeFileSync(file, JSON.stringify(document));
    const as_admin = ["--server", this.url, "--ca", this.certificate, "--token-file", this.token];
    return this.hearsay("task", "create", file, ...as_admin).trim();
  }

  /** Returns the number of reports in the task's tally. */
  async reports(task) {
    const headers = { Authorization: `Bearer ${readFileSync(this.token, "utf8").trim()}` };
    const ca = readFileSync(this.certificate);
    const body = await new Promise((resolve, reject) => {
      get(`${this.url}/v1/tasks`, { headers, ca }, (answer) => text(answer).then(resolve, reject)).on("error", reject);
    });
    return JSON.parse(body).tasks.find((one) => one.task === task).reports;
  }

  async stop() {
    this.process.kill("SIGTERM");
    if (this.process.exitCode === null) await once(this.process, "exit");
  }
}
