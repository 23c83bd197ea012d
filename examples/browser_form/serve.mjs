// Serves the form on http://localhost, to try it out: node serve.mjs SETTINGS_FILE [PORT]. The settings are {"server":
// "https://aggregator.example", "task": "ID"}. The program prints its origin, which the aggregator must allow.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const HERE = new URL("./", import.meta.url);
const BUILT = new URL("../../sdk/bindings/javascript/dist/", import.meta.url);
const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", wasm: "application/wasm" };
const FILES = new Map([
  ["/", new URL("index.html", HERE)],
  ...["form.js", "form.css"].map((name) => [`/${name}`, new URL(name, HERE)]),
  ...["hearsay.js", "hearsay.wasm"].map((name) => [`/${name}`, new URL(name, BUILT)]),
]);

/** Starts the server, and resolves to the server once it listens. `settings` is the content of settings.json. */
export function serve(settings, port = 0) {
  const server = createServer(async (request, response) => {
    try {
      if (request.url === "/settings.json") {
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(settings));
        return;
      }
      const file = FILES.get(request.url);
      if (file === undefined) {
        response.writeHead(404).end();
        return;
      }
      const type = TYPES[file.pathname.split(".").pop()];
      response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-store" }).end(await readFile(file));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, "localhost", () => resolve(server));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, port] = process.argv.slice(2);
  if (file === undefined) throw new Error("usage: node serve.mjs SETTINGS_FILE [PORT]");
  const server = await serve(JSON.parse(await readFile(file, "utf8")), Number(port ?? 0));
  console.log(`http://localhost:${server.address().port}`);
}
