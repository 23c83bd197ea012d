// Sends a request to the aggregator with fetch(), and reads the answer.
import { HearsayError } from "./errors.js";

const MOST_ANSWER = 1 << 20;

export interface Answer {
  status: number;
  body: string;
  /** The server's time in seconds since 1970, if the answer tells it. */
  date: number | null;
  /** The wait that the server asks for, in milliseconds, or null. */
  retryAfter: number | null;
}

export interface Request {
  method: "GET" | "POST";
  url: string;
  body?: Uint8Array;
  headers?: Record<string, string>;
  timeout: number;
  signal: AbortSignal;
}

/**
 * Sends a request. Throws "cancelled" (the signal aborted), "timed_out", "connection_failed", or "limit_exceeded" (the
 * answer has more than 1 MiB). A browser does not tell a page why no answer came. The reason can be the network, a
 * certificate, or an origin that the aggregator does not allow.
 */
export async function exchange(request: Request): Promise<Answer> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), request.timeout);
  const cancel = () => timeout.abort();
  request.signal.addEventListener("abort", cancel);
  if (request.signal.aborted) cancel();
  try {
    const response = await fetch(request.url, {
      method: request.method,
      ...(request.body === undefined ? {} : { body: request.body }),
      headers: request.headers ?? {},
      signal: timeout.signal,
      // The request carries nothing that names the person or the page, and no cache may answer the request.
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      redirect: "manual",
    });
    return {
      status: response.type === "opaqueredirect" ? 300 : response.status,
      body: await textOf(response),
      date: seconds(response.headers.get("Date")),
      retryAfter: delay(response.headers.get("Retry-After")),
    };
  } catch (error) {
    if (request.signal.aborted) throw new HearsayError("cancelled", "the exchange was cancelled");
    if (timeout.signal.aborted) throw new HearsayError("timed_out", "the aggregator did not answer in time");
    if (error instanceof HearsayError) throw error;
    throw new HearsayError("connection_failed", "no answer came from the aggregator, or the browser hides the answer");
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", cancel);
  }
}

async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > MOST_ANSWER) {
      await reader.cancel();
      throw new HearsayError("limit_exceeded", "the aggregator's answer is too large");
    }
    text += decoder.decode(value, { stream: true });
  }
}

// Matches a date as in RFC 9110: "Sun, 06 Nov 1994 08:49:37 GMT". Any other text counts as no date. A time before 1970
// counts as no date, too.
const DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

function seconds(date: string | null): number | null {
  const time = date !== null && DATE.test(date) ? Date.parse(date) : NaN;
  return time >= 0 ? Math.floor(time / 1000) : null;
}

function delay(value: string | null): number | null {
  if (value === null) return null;
  if (/^[0-9]+$/.test(value)) return Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : Math.max(time - Date.now(), 0);
}
