/*
 * The SDK for C, and for every language that can call C.
 *
 * A host opens one ledger for each person, parses or fetches a task, makes a client, and submits records:
 *
 *     hearsay_error error = {sizeof error};
 *     hearsay_client* client = NULL;
 *     if (hearsay_client_create(&options, ledger, &client, &error) != HEARSAY_OK) return report_problem(error.message);
 *     hearsay_client_submit_json(client, record, record_size, NULL, &error);
 *     hearsay_client_flush(client, 30000, NULL, &error);
 *
 * Rules for all functions:
 *
 * - A function returns HEARSAY_OK or the code of an error. If `error` is not NULL, the function also writes the error's
 *   name and a sentence for a person to `*error`. No text holds a record's values.
 * - On an error the function writes no other output, except that a handle output becomes NULL.
 * - Text and bytes go in as a pointer and a length. Text is UTF-8 without zero bytes. NULL with length 0 is empty text.
 * - A struct begins with its own size, which the caller sets: `hearsay_server server = {sizeof server};`. Members that
 *   are zero have the stated default. A host compiled against an older header works with a newer library.
 * - Each kind of handle has a free function, which accepts NULL. The library does not use a handle as an address. So a
 *   freed handle, a handle of another type, NULL or any other pointer gives HEARSAY_INVALID_ARGUMENT, if the function
 *   returns a code.
 * - No exception, abort or signal of the library reaches the host, except one signal. A host with a limit on the size
 *   of files (RLIMIT_FSIZE) must ignore SIGXFSZ, which the system raises when a ledger's file reaches the limit.
 * - Threads: any number of threads may call any functions at once. The object of a freed handle lives until the calls
 *   that use the object have returned.
 * - In a child process made by fork(), the parent's ledgers and clients return HEARSAY_IN_USE. If other threads ran at
 *   the time of the fork, the child must not call the library before it calls exec().
 */
#ifndef HEARSAY_HEARSAY_H
#define HEARSAY_HEARSAY_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define HEARSAY_API
#else
#define HEARSAY_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define HEARSAY_NOEXCEPT noexcept
extern "C" {
#else
#define HEARSAY_NOEXCEPT
#endif

/* The version of the interface that this header describes. Each addition to the interface raises the version. */
#define HEARSAY_ABI_VERSION 2

/* Returns the version of the interface of the library in use. A host that needs something of version v checks that the
 * result is at least v. */
HEARSAY_API uint32_t hearsay_abi_version(void) HEARSAY_NOEXCEPT;

/* ---- Errors ---- */

typedef int32_t hearsay_code;

enum {
  HEARSAY_OK = 0,
  HEARSAY_INVALID_ARGUMENT = 1,   /* a parameter is NULL, of another type, or outside its range */
  HEARSAY_LIMIT_EXCEEDED = 2,     /* something exceeds a stated limit, or the outbox is full */
  HEARSAY_MALFORMED = 3,          /* a document has bad syntax, or other keys or types than expected */
  HEARSAY_INVALID_RECORD = 4,     /* the record does not fit the schema */
  HEARSAY_INVALID_TASK = 5,       /* the task document is not valid, or this library does not implement it */
  HEARSAY_TASK_MISMATCH = 6,      /* the task exceeds the limits or is not the expected one, or the list is old */
  HEARSAY_BAD_SIGNATURE = 7,      /* a list of tasks does not have the signature of the author */
  HEARSAY_TOO_EARLY = 8,          /* the task has not started */
  HEARSAY_EXPIRED = 9,            /* the lifetime of the task or of the list is over */
  HEARSAY_BUDGET_EXHAUSTED = 10,  /* the budget of the period does not pay for the report */
  HEARSAY_ENTROPY_FAILED = 11,    /* the system gave no random bits */
  HEARSAY_IO = 12,                /* a file or device failed */
  HEARSAY_IN_USE = 13,            /* another process, or the parent of this one, uses the ledger */
  HEARSAY_LEDGER_DAMAGED = 14,    /* the file is no ledger, is damaged, or is an older copy */
  HEARSAY_CLOCK_DIFFERS = 15,     /* the device's clock is too far from the server's; call hearsay_client_flush() */
  HEARSAY_OPTED_OUT = 16,         /* the person has opted out of reporting */
  HEARSAY_CONNECTION_FAILED = 17, /* no complete answer arrived */
  HEARSAY_TLS_FAILED = 18,        /* the server's certificate is not accepted */
  HEARSAY_TIMED_OUT = 19,         /* no answer came within the timeout or the deadline */
  HEARSAY_CANCELLED = 20,         /* the host cancelled the exchange */
  HEARSAY_SERVER_REFUSED = 21,    /* the aggregator does not take the request; the message names the problem */
  HEARSAY_OUT_OF_MEMORY = 22,
  HEARSAY_INTERNAL = 23 /* this library or a library below it failed unexpectedly */
};

typedef struct hearsay_error {
  size_t size; /* sizeof(hearsay_error) */
  hearsay_code code;
  char name[44];     /* a stable name, more exact than the code, such as "budget_exhausted" */
  char message[512]; /* one sentence, cut to fit; ends with a zero byte */
} hearsay_error;

/* ---- Bytes that the library returns ---- */

typedef struct hearsay_buffer hearsay_buffer;

/* Return the bytes and the number of bytes; NULL and 0 for a pointer that is no buffer. The bytes live as long as the
 * buffer. A zero byte follows the bytes, and does not count. */
HEARSAY_API const uint8_t* hearsay_buffer_data(const hearsay_buffer* buffer) HEARSAY_NOEXCEPT;
HEARSAY_API size_t hearsay_buffer_size(const hearsay_buffer* buffer) HEARSAY_NOEXCEPT;
HEARSAY_API void hearsay_buffer_free(hearsay_buffer* buffer) HEARSAY_NOEXCEPT;

/* ---- Tasks ---- */

typedef struct hearsay_task hearsay_task;

/* Reads a task document, at most 4 MiB. Errors: MALFORMED, INVALID_TASK, LIMIT_EXCEEDED. */
HEARSAY_API hearsay_code hearsay_task_parse(const char* json, size_t json_size, hearsay_task** task,
                                            hearsay_error* error) HEARSAY_NOEXCEPT;

/* Writes a JSON object about the task for the host: "id", "title", "epsilon" (decimal text), "start" and "end" (seconds
 * since 1970), and "schema" as in the task document. */
HEARSAY_API hearsay_code hearsay_task_describe(const hearsay_task* task, hearsay_buffer** json,
                                               hearsay_error* error) HEARSAY_NOEXCEPT;

HEARSAY_API void hearsay_task_free(hearsay_task* task) HEARSAY_NOEXCEPT;

/* The host's own limits, which no task and no list of tasks can change. */
typedef struct hearsay_limits {
  size_t size;             /* sizeof(hearsay_limits) */
  const char* max_epsilon; /* required: decimal text such as "0.5"; the library refuses tasks with a larger epsilon */
  size_t max_epsilon_size;
  const char* schema; /* a schema in JSON; the library refuses tasks with other records. NULL: any records */
  size_t schema_size;
} hearsay_limits;

/* Reads a list of tasks that the app's author has signed, and keeps the tasks within the limits.
 *
 * `key` is the author's public key, 43 characters of base64url. `now` is the present time in seconds since 1970.
 * `last_number` is the number of the newest list that the host used so far, or 0. `*number` becomes the number of this
 * list, which the host stores (`number` may be NULL). `tasks` is an array with room for `capacity` handles; 256 are
 * always enough. `*count` becomes the number of handles written. The caller frees each handle.
 * Skips tasks that this library does not understand.
 * Errors: BAD_SIGNATURE, EXPIRED, TASK_MISMATCH (an older list), MALFORMED, LIMIT_EXCEEDED (a list that is too long, or
 * more tasks than `capacity`). */
HEARSAY_API hearsay_code hearsay_task_list_read(const char* text, size_t text_size, const char* key, size_t key_size,
                                                uint64_t now, uint64_t last_number, const hearsay_limits* limits,
                                                hearsay_task** tasks, size_t capacity, size_t* count, uint64_t* number,
                                                hearsay_error* error) HEARSAY_NOEXCEPT;

/* Randomizes a record, given as JSON, and writes the encoded report. Does not pay for the report, and does not keep it.
 *
 * Each call is a further report, and costs a further epsilon: the privacy losses of all calls for one person add up.
 * Call this function only if you have a ledger of your own that pays before the call. Call it once for each payment,
 * and store the bytes before you send them. Otherwise use hearsay_client_submit_json().
 * Errors: TOO_EARLY, EXPIRED (by `now`, seconds since 1970), INVALID_RECORD, MALFORMED, ENTROPY_FAILED. */
HEARSAY_API hearsay_code hearsay_randomize_without_ledger(const hearsay_task* task, const char* record_json,
                                                          size_t record_json_size, uint64_t now,
                                                          hearsay_buffer** report,
                                                          hearsay_error* error) HEARSAY_NOEXCEPT;

/* ---- Raw texts (since version 2) ---- */

/* The companion document of a schema says which raw text, such as a person's typed answer, means which value. */
typedef struct hearsay_companion hearsay_companion;

/* Reads a companion document of the task's schema, at most 4 MiB. Errors: MALFORMED, LIMIT_EXCEEDED, INVALID_ARGUMENT
 * (the document does not fit the schema, or a bad handle). */
HEARSAY_API hearsay_code hearsay_companion_parse(const hearsay_task* task, const char* json, size_t json_size,
                                                 hearsay_companion** companion, hearsay_error* error) HEARSAY_NOEXCEPT;

/* Makes a record from raw texts. The texts are a JSON object of strings, with the columns' labels as keys: {"Age":
 * "33"}. Ignores keys that the document does not name. Writes the record as JSON, for hearsay_client_submit_json().
 * Errors: INVALID_RECORD (a text is absent, or means no value), MALFORMED, LIMIT_EXCEEDED. */
HEARSAY_API hearsay_code hearsay_companion_read(const hearsay_companion* companion, const char* texts_json,
                                                size_t texts_json_size, hearsay_buffer** record_json,
                                                hearsay_error* error) HEARSAY_NOEXCEPT;

HEARSAY_API void hearsay_companion_free(hearsay_companion* companion) HEARSAY_NOEXCEPT;

/* ---- The ledger of a person ---- */

typedef struct hearsay_ledger hearsay_ledger;

/* A number that only grows, for example in the platform's keystore. Putting back an older copy of the ledger's file
 * must not change the number. Both functions return 0, or another value if they failed. The functions must not call
 * the library. */
typedef struct hearsay_rollback_counter {
  int (*read)(void* context, uint64_t* value); /* writes the number, or 0 if `raise` was never called */
  int (*raise)(void* context, uint64_t value); /* stores `value`, which is at least the present number */
  void* context;
} hearsay_rollback_counter;

typedef struct hearsay_ledger_options {
  size_t size;      /* sizeof(hearsay_ledger_options) */
  const char* file; /* required: path of the database, made if it does not exist */
  size_t file_size;
  uint64_t period_seconds; /* each task may have one report in each period; 0: one report ever */
  const char* budget;      /* decimal text: the largest sum of epsilon in a period over all tasks; NULL: no limit */
  size_t budget_size;
  uint64_t max_reports; /* largest number of waiting reports; 0: 1,000 */
  uint64_t max_bytes;   /* limit of the bytes of all waiting reports; 0: 8 MiB */
  /* The ledger gives up a report that has waited for this time; 0: 30 days. The age counts only while the
   * device's clock is within a day of the time that a server told last. If no server has told the time, the ledger
   * gives up no report for its age. */
  uint64_t max_age_seconds;
  const hearsay_rollback_counter* counter; /* copied, but its `context` must outlive the ledger; NULL: no counter */
} hearsay_ledger_options;

/* Opens the ledger, or makes one. The period is fixed when the file is made, and the budget can only become smaller.
 * Errors: INVALID_ARGUMENT (a bad option, or a looser policy), IO, IN_USE, LEDGER_DAMAGED. */
HEARSAY_API hearsay_code hearsay_ledger_open(const hearsay_ledger_options* options, hearsay_ledger** ledger,
                                             hearsay_error* error) HEARSAY_NOEXCEPT;

/* Closes the ledger. The file stays open until the clients that use the ledger are freed, too. */
HEARSAY_API void hearsay_ledger_free(hearsay_ledger* ledger) HEARSAY_NOEXCEPT;

/* Writes a JSON array of the waiting, delivered and dropped reports, the newest first, at most `most` entries. Members:
 * "number", "task", "title", "epsilon", "made" (seconds since 1970), "state" ("pending", "delivered" or "dropped"),
 * "settled" (seconds since 1970, or null), "reason", and "bytes" (base64url of the encoded report). */
HEARSAY_API hearsay_code hearsay_ledger_log(const hearsay_ledger* ledger, size_t most, hearsay_buffer** json,
                                            hearsay_error* error) HEARSAY_NOEXCEPT;

/* Let the person opt out and opt in again, and tell whether the person has opted out. Opting out removes the waiting
 * reports and the log, and lasts over restarts. The payments stay. A host that has clients of the ledger calls
 * hearsay_client_opt_out() instead, which also stops an upload under way. `*opted_out` becomes 1 if the person has
 * opted out, else 0. */
HEARSAY_API hearsay_code hearsay_ledger_opt_out(hearsay_ledger* ledger, hearsay_error* error) HEARSAY_NOEXCEPT;
HEARSAY_API hearsay_code hearsay_ledger_opt_in(hearsay_ledger* ledger, hearsay_error* error) HEARSAY_NOEXCEPT;
HEARSAY_API hearsay_code hearsay_ledger_opted_out(const hearsay_ledger* ledger, int32_t* opted_out,
                                                  hearsay_error* error) HEARSAY_NOEXCEPT;

/* ---- The client ---- */

typedef struct hearsay_client hearsay_client;

typedef struct hearsay_server {
  size_t size;      /* sizeof(hearsay_server) */
  const char* host; /* required: name or address; the server's certificate must be for this host */
  size_t host_size;
  uint32_t port;       /* 0: 443 */
  uint32_t timeout_ms; /* for one exchange; 0: 10,000 */
  const char* ca_file; /* PEM file of trusted authorities; NULL: the system's authorities */
  size_t ca_file_size;
  const char* upload_token; /* for aggregators that ask for a token; NULL: no token */
  size_t upload_token_size;
  const char* client_certificate; /* PEM files, for aggregators that ask for a certificate; set both or neither */
  size_t client_certificate_size;
  const char* client_key; /* not encrypted: the library does not ask for a passphrase */
  size_t client_key_size;
} hearsay_server;

typedef struct hearsay_client_options {
  size_t size;                  /* sizeof(hearsay_client_options) */
  const hearsay_server* server; /* NULL: the host sends the reports itself, see hearsay_client_next_report() */
  const hearsay_limits* limits; /* required */
  const hearsay_task* task;     /* the task, or NULL: the client fetches the document of `task_id` */
  const char* task_id;          /* 43 characters of base64url; needed if `task` is NULL */
  size_t task_id_size;
  const char* pin_file; /* a file that remembers the task; a later client refuses any other task. NULL: no file */
  size_t pin_file_size;
} hearsay_client_options;

/* Makes a client of one task for one person. If `task` is NULL, fetches the task's document. The call then waits for
 * the network, for at most the server's `timeout_ms`, and cannot be cancelled. If your thread must not wait, pass the
 * task, or create the client on another thread. Errors: INVALID_ARGUMENT, TASK_MISMATCH (the task is beyond the limits,
 * or not the pinned one), those of hearsay_task_parse(), IO, and those of the network (17 to 21). */
HEARSAY_API hearsay_code hearsay_client_create(const hearsay_client_options* options, hearsay_ledger* ledger,
                                               hearsay_client** client, hearsay_error* error) HEARSAY_NOEXCEPT;

HEARSAY_API void hearsay_client_free(hearsay_client* client) HEARSAY_NOEXCEPT;

/* Pays for a report, randomizes the record, and queues the report. Does not use the network. The record is a JSON
 * object with one member for each attribute. `already_reported` may be NULL. `*already_reported` becomes 0 if a report
 * was made. `*already_reported` becomes 1 if the person has reported to the task in this period; the function then does
 * not look at the record. Errors: BUDGET_EXHAUSTED, LIMIT_EXCEEDED (the outbox is full), CLOCK_DIFFERS, OPTED_OUT,
 * TOO_EARLY, EXPIRED, INVALID_RECORD, MALFORMED, ENTROPY_FAILED, IO, IN_USE, LEDGER_DAMAGED. */
HEARSAY_API hearsay_code hearsay_client_submit_json(hearsay_client* client, const char* record_json,
                                                    size_t record_json_size, int32_t* already_reported,
                                                    hearsay_error* error) HEARSAY_NOEXCEPT;

typedef struct hearsay_flush_summary {
  size_t size; /* sizeof(hearsay_flush_summary) */
  uint64_t delivered;
  uint64_t dropped;      /* reports that the client gave up; the log says why */
  uint64_t pending;      /* reports that wait for a later flush */
  hearsay_error problem; /* the last problem of the flush; code HEARSAY_OK if there was none */
} hearsay_flush_summary;

/* Uploads the reports of this client's task that wait, for at most `deadline_ms`. `summary` may be NULL. If the
 * network or the server fails, returns HEARSAY_OK: the summary's `problem` says why. Errors: INVALID_ARGUMENT (the
 * client has no server), IO, IN_USE, LEDGER_DAMAGED, ENTROPY_FAILED. */
HEARSAY_API hearsay_code hearsay_client_flush(hearsay_client* client, uint32_t deadline_ms,
                                              hearsay_flush_summary* summary, hearsay_error* error) HEARSAY_NOEXCEPT;

/* Ends the client's flushes that are under way. Their calls return soon, and reports stay in the outbox. */
HEARSAY_API hearsay_code hearsay_client_cancel(hearsay_client* client, hearsay_error* error) HEARSAY_NOEXCEPT;

/* Calls hearsay_ledger_opt_out(), and ends the flushes of all clients of the ledger. */
HEARSAY_API hearsay_code hearsay_client_opt_out(hearsay_client* client, hearsay_error* error) HEARSAY_NOEXCEPT;

/* ---- For hosts that send reports over an HTTP stack of their own ---- */

/* Writes the oldest waiting report to the client's task, and the report's number. If no report waits, `*report` becomes
 * NULL.
 * The host posts the bytes to /v1/tasks/TASK_ID/reports with the media type
 * application/vnd.hearsay.reports+cbor-seq, as often as needed, and must not send other bytes in their place. */
HEARSAY_API hearsay_code hearsay_client_next_report(hearsay_client* client, int64_t* number, hearsay_buffer** report,
                                                    hearsay_error* error) HEARSAY_NOEXCEPT;

/* Settles a report. `delivered` is 1 after any answer of status 2xx. `delivered` is 0 if the aggregator has refused the
 * report for good; the log then keeps `reason`. Do not call this function while neither is known.
 * `server_time` is the answer's header Date in seconds since 1970, over an authenticated connection, or 0. */
HEARSAY_API hearsay_code hearsay_client_settle_report(hearsay_client* client, int64_t number, int32_t delivered,
                                                      const char* reason, size_t reason_size, uint64_t server_time,
                                                      hearsay_error* error) HEARSAY_NOEXCEPT;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEARSAY_HEARSAY_H */
