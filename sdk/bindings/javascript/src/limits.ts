// The page's own limits, which no task and no list of tasks can change.
import { millionths } from "./millionths.js";
import type { Attribute, Task } from "./task.js";

export interface TaskLimits {
  /** The largest epsilon that the page accepts, as decimal text. */
  maxEpsilon: string;
  /** The schema of the records that the page accepts; without a schema, all records. Titles and units may differ. */
  schema?: readonly Attribute[];
}

/**
 * Returns why the task exceeds the limits, or null if it does not. Throws "invalid_argument" if the limits are
 * malformed.
 */
export function beyond(limits: TaskLimits, task: Task): string | null {
  if (millionths(task.epsilon, "epsilon") > millionths(limits.maxEpsilon, "maxEpsilon")) {
    return `the task's epsilon is ${task.epsilon}, above ${limits.maxEpsilon}`;
  }
  const other = limits.schema !== undefined && recordsOf(limits.schema) !== recordsOf(task.schema);
  return other ? "the task asks for other records than the page expects" : null;
}

function recordsOf(schema: readonly Attribute[]): string {
  return JSON.stringify(schema.map(({ name, type, values, min, max }) => ({ name, type, values, min, max })));
}
