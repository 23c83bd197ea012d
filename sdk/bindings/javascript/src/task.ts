// A task: the public agreement on what is asked and how answers are randomized.
import { Core, loadCore } from "./core.js";
import { HearsayError } from "./errors.js";

/** One attribute of a task's records, as in the task document (common/schema/format.md). */
export interface Attribute {
  name: string;
  type: "boolean" | "categorical" | "range";
  values?: string[];
  min?: number;
  max?: number;
  title?: string;
  unit?: string;
}

/**
 * A record: one value for each attribute, under the attribute's name. A categorical attribute takes the value's name.
 */
export type RecordValues = Readonly<Record<string, boolean | number | string>>;

const freed = new FinalizationRegistry<{ core: Core; handle: number }>(({ core, handle }) => core.freeTask(handle));

export class Task {
  readonly id: string;
  readonly title: string;
  /** The ε of one report, as decimal text. */
  readonly epsilon: string;
  /** Seconds since 1970; `end` is the first second after the task's lifetime. */
  readonly start: number;
  readonly end: number;
  readonly schema: readonly Attribute[];
  readonly #core: Core;
  readonly #handle: number;

  private constructor(core: Core, handle: number) {
    this.#core = core;
    this.#handle = handle;
    freed.register(this, { core, handle });
    const about = JSON.parse(core.describeTask(handle));
    this.id = about.id;
    this.title = about.title;
    this.epsilon = about.epsilon;
    this.start = about.start;
    this.end = about.end;
    this.schema = about.schema;
  }

  /** Reads a task document, in bytes or text. Throws HearsayError, for example "invalid_task". */
  static async parse(document: Uint8Array | string): Promise<Task> {
    const core = await loadCore();
    const bytes = typeof document === "string" ? new TextEncoder().encode(document) : document;
    return new Task(core, core.parseTask(bytes));
  }

  /**
   * Makes a report. Each report costs the person the task's epsilon. Call this function only within Ledger.pay():
   * without payments, nothing bounds how much the reports of a person reveal. `record` is JSON text, or values by name.
   * `now` is in seconds since 1970.
   */
  randomizeWithoutLedger(record: RecordValues | string, now: number): Uint8Array {
    return this.#core.randomize(this.#handle, typeof record === "string" ? record : recordJson(record), now);
  }
}

function recordJson(record: RecordValues): string {
  if (typeof record !== "object" || record === null) {
    throw new HearsayError("invalid_record", "the record must be JSON text, or an object with a value for each attribute");
  }
  for (const [name, value] of Object.entries(record)) {
    if (!["boolean", "number", "string"].includes(typeof value)) {
      throw new HearsayError("invalid_record", `attribute '${name}' is neither true or false, a number nor text`);
    }
  }
  return JSON.stringify(record);
}
