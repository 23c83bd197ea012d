// How a client retries an upload, and how often the client sends. All times are in milliseconds.

/**
 * After attempt i the client waits for a random time from d/2 to d, where d = min(first * 2^(i-1), largest). If the
 * server named a time in Retry-After, the client also waits for that time, but for at most `maxRetryAfter`. If a wait
 * would end after the flush's deadline, the flush ends at once.
 */
export interface RetryPolicy {
  maxAttempts: number;
  first: number;
  largest: number;
  maxRetryAfter: number;
  /** The largest number of uploads that begin in any minute; at least 1. */
  maxUploadsPerMinute: number;
  /**
   * The client drops a report if the report's time is ahead of the server's clock by more than `maxAhead`. The device's
   * clock was wrong when such a report was made.
   */
  maxAhead: number;
}

export const DEFAULT_RETRY: Readonly<RetryPolicy> = {
  maxAttempts: 8,
  first: 500,
  largest: 60_000,
  maxRetryAfter: 3_600_000,
  maxUploadsPerMinute: 60,
  maxAhead: 2 * 86_400_000,
};

/** Returns a uniform number in [0, 1) from the system's random bits. */
export function uniform(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32;
}

/** Returns the wait before attempt number `attempt` + 1, in milliseconds. */
export function backoff(policy: RetryPolicy, attempt: number): number {
  const delay = Math.min(policy.first * 2 ** (attempt - 1), policy.largest);
  return delay - (uniform() * delay) / 2;
}
