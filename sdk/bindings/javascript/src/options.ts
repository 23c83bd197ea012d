// Checks the options that a page passes. Without these checks, the package would ignore a misspelt limit.
import { HearsayError } from "./errors.js";

const LONGEST = 2 ** 31 - 1; // the longest time of a browser's timer, in milliseconds: 24 days

/**
 * Throws "invalid_argument" if `options` is no object, has a member that `members` does not name, or has a member that
 * is undefined.
 */
export function checkMembers(options: unknown, members: readonly string[], what: string): void {
  if (typeof options !== "object" || options === null) {
    throw new HearsayError("invalid_argument", `${what} must be an object`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!members.includes(name)) {
      throw new HearsayError("invalid_argument", `${what} have no '${name}'; they have ${members.join(", ")}`);
    }
    if (value === undefined) {
      throw new HearsayError("invalid_argument", `'${name}' of ${what} is undefined; give a value or leave it out`);
    }
  }
}

/** Returns the milliseconds, at most LONGEST. Throws "invalid_argument" if the value is not a number of at least 0. */
export function checkTime(milliseconds: unknown, what: string): number {
  if (typeof milliseconds === "number" && milliseconds >= 0) return Math.min(milliseconds, LONGEST);
  throw new HearsayError("invalid_argument", `${what} must be a number of milliseconds, at least 0`);
}
