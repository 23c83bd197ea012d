// The randomizing core in WebAssembly: the C++ of common/, called through functions of hearsay.h.
import { sha256 } from "@noble/hashes/sha2";

import { ErrorCode, HearsayError } from "./errors.js";

// The layout of hearsay_error in WebAssembly: size_t size; int32_t code; char name[44]; char message[512].
const ERROR_BYTES = 564;
const NAME_AT = 8;
const MESSAGE_AT = 52;

interface Exports {
  memory: WebAssembly.Memory;
  malloc(size: number): number;
  free(at: number): void;
  hearsay_abi_version(): number;
  hearsay_buffer_data(buffer: number): number;
  hearsay_buffer_size(buffer: number): number;
  hearsay_buffer_free(buffer: number): void;
  hearsay_task_parse(json: number, size: number, task: number, error: number): number;
  hearsay_task_describe(task: number, json: number, error: number): number;
  hearsay_task_free(task: number): void;
  hearsay_randomize_without_ledger(
    task: number,
    record: number,
    size: number,
    now: bigint,
    report: number,
    error: number,
  ): number;
}

/** One instance of the module in WebAssembly. A function that fails throws HearsayError. */
export class Core {
  readonly #exports: Exports;

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  static async load(): Promise<Core> {
    try {
      const module = await WebAssembly.compile(await moduleBytes());
      let exports: Exports | undefined;
      const instance = await WebAssembly.instantiate(module, imports(() => exports!.memory));
      exports = instance.exports as unknown as Exports;
      (instance.exports["_initialize"] as () => void)();
      return new Core(exports);
    } catch (error) {
      throw new HearsayError("unsupported", `the module hearsay.wasm cannot be loaded: ${String(error)}`);
    }
  }

  get abiVersion(): number {
    return this.#exports.hearsay_abi_version();
  }

  parseTask(document: Uint8Array): number {
    return this.#withBytes(document, (json) =>
      this.#call((out, error) => this.#exports.hearsay_task_parse(json, document.length, out, error)),
    );
  }

  describeTask(task: number): string {
    const buffer = this.#call((out, error) => this.#exports.hearsay_task_describe(task, out, error));
    return new TextDecoder().decode(this.#take(buffer));
  }

  freeTask(task: number): void {
    this.#exports.hearsay_task_free(task);
  }

  /**
   * Returns a report. Each call costs a further epsilon, so a ledger must pay before the call: see
   * hearsay_randomize_without_ledger().
   */
  randomize(task: number, recordJson: string, now: number): Uint8Array {
    const record = new TextEncoder().encode(recordJson);
    try {
      return this.#withBytes(record, (json) => {
        const buffer = this.#call((out, error) =>
          this.#exports.hearsay_randomize_without_ledger(task, json, record.length, BigInt(now), out, error),
        );
        return this.#take(buffer);
      });
    } finally {
      record.fill(0);
    }
  }

  // Copies bytes into the module's memory and runs `use`. Then overwrites the copy.
  #withBytes<T>(bytes: Uint8Array, use: (at: number) => T): T {
    const at = this.#allocate(bytes.length);
    try {
      new Uint8Array(this.#exports.memory.buffer).set(bytes, at);
      return use(at);
    } finally {
      new Uint8Array(this.#exports.memory.buffer, at, bytes.length).fill(0);
      this.#exports.free(at);
    }
  }

  // Calls a function that writes a handle to `out` or an error to `error`.
  #call(run: (out: number, error: number) => number): number {
    const out = this.#allocate(4 + ERROR_BYTES);
    const error = out + 4;
    try {
      new DataView(this.#exports.memory.buffer).setUint32(error, ERROR_BYTES, true);
      const code = run(out, error);
      if (code !== 0) throw this.#errorAt(error);
      return new DataView(this.#exports.memory.buffer).getUint32(out, true);
    } finally {
      this.#exports.free(out);
    }
  }

  #allocate(size: number): number {
    const at = this.#exports.malloc(Math.max(size, 1));
    if (at === 0) throw new HearsayError("out_of_memory", "not enough memory");
    return at;
  }

  #errorAt(at: number): HearsayError {
    return new HearsayError(this.#text(at + NAME_AT) as ErrorCode, this.#text(at + MESSAGE_AT));
  }

  #text(at: number): string {
    const bytes = new Uint8Array(this.#exports.memory.buffer);
    return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
  }

  #take(buffer: number): Uint8Array {
    try {
      const at = this.#exports.hearsay_buffer_data(buffer);
      return new Uint8Array(this.#exports.memory.buffer).slice(at, at + this.#exports.hearsay_buffer_size(buffer));
    } finally {
      this.#exports.hearsay_buffer_free(buffer);
    }
  }
}

// The functions that the module imports. The random bits come from the browser: the package takes no bits from its
// caller.
function imports(memory: () => WebAssembly.Memory): WebAssembly.Imports {
  return {
    hearsay: {
      random(at: number, size: number): number {
        try {
          // getRandomValues() gives at most 65,536 bytes at a time; the module asks for 4,096.
          crypto.getRandomValues(new Uint8Array(memory().buffer, at, size));
          return 0;
        } catch {
          return 1;
        }
      },
      sha256(at: number, size: number, out: number): void {
        const hash = sha256(new Uint8Array(memory().buffer, at, size));
        new Uint8Array(memory().buffer).set(hash, out);
      },
    },
    env: { emscripten_notify_memory_growth(): void {} },
    wasi_snapshot_preview1: {
      proc_exit(): never {
        throw new Error("the module ended");
      },
    },
  };
}

async function moduleBytes(): Promise<BufferSource> {
  const url = new URL("hearsay.wasm", import.meta.url);
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} answers ${response.status}`);
  return response.arrayBuffer();
}

let shared: Promise<Core> | undefined;

/** Returns the only Core of the page. After a failure to load the module, the next call tries again. */
export function loadCore(): Promise<Core> {
  shared ??= Core.load().catch((error) => {
    shared = undefined;
    throw error;
  });
  return shared;
}
