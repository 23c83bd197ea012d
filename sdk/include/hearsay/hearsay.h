/* Hearsay for C and for languages that call C: makes randomized reports from a person's record.
 *
 * Rules that hold for every function:
 * - A handle is what a function gave out through `out`. A handle that was freed, that is NULL, or that never was one, is
 *   HEARSAY_INVALID_ARGUMENT. The functions never read through a handle.
 * - Bytes are a pointer and a length. The pointer may be NULL if the length is 0. The library keeps no pointer.
 * - `error` may be NULL. If a function fails, the library writes why into `*error`, and leaves `*out` as it was. The
 *   message never holds a record's values.
 * - No exception, abort or signal of the library reaches the caller.
 * - Thread-safety: any number of threads may call any function at once. Free a handle when no other call uses the handle;
 *   a call under way ends normally even so.
 */
#ifndef HEARSAY_HEARSAY_H
#define HEARSAY_HEARSAY_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HEARSAY_API __attribute__((visibility("default")))
#else
#define HEARSAY_API
#endif
#ifdef __cplusplus
#define HEARSAY_NOEXCEPT noexcept
extern "C" {
#else
#define HEARSAY_NOEXCEPT
#endif

/* Grows with every change that breaks a compiled program. New functions, and new fields at the end of a struct, break
 * none. */
#define HEARSAY_ABI_VERSION 0

/* Returns HEARSAY_ABI_VERSION as the library was built. Compare before any other call. */
HEARSAY_API uint32_t hearsay_abi_version(void) HEARSAY_NOEXCEPT;

typedef int32_t hearsay_status;
enum {
  HEARSAY_OK = 0,
  HEARSAY_INVALID_ARGUMENT = 1, /* NULL where something must be, no handle, or a struct's size that is unknown */
  HEARSAY_INVALID_TASK = 2,     /* the bytes are no task document that this library supports */
  HEARSAY_INVALID_RECORD = 3,   /* the record does not fit the task's schema */
  HEARSAY_TOO_EARLY = 4,        /* the task has not started */
  HEARSAY_EXPIRED = 5,          /* the task's lifetime is over */
  HEARSAY_ENTROPY_FAILED = 6,   /* the system gave no random bits */
  HEARSAY_NO_MEMORY = 7,
  HEARSAY_INTERNAL = 8 /* a library below failed in a way it should not have */
};

/* Why a function failed. Set `size` to sizeof(hearsay_error) before the call. */
typedef struct hearsay_error {
  size_t size;
  hearsay_status status;
  char name[32];     /* the kind in detail, such as "unknown_key"; ends with a zero byte, like the message */
  char message[476]; /* one sentence for a person, in UTF-8; cut off if longer */
} hearsay_error;

/* --- Tasks --- */

typedef struct hearsay_task hearsay_task;

/* Reads a task document (JSON). Free the task with hearsay_task_free(). */
HEARSAY_API hearsay_status hearsay_task_parse(const void* json, size_t length, hearsay_task** out,
                                              hearsay_error* error) HEARSAY_NOEXCEPT;

/* Does nothing for NULL and for what is no task. */
HEARSAY_API void hearsay_task_free(hearsay_task* task) HEARSAY_NOEXCEPT;

/* What a task asks of a person. Set `size` to sizeof(hearsay_task_info) before the call. Times are seconds since 1970. */
typedef struct hearsay_task_info {
  size_t size;
  uint64_t epsilon_numerator; /* what one report may reveal: epsilon = numerator / denominator, in lowest terms */
  uint64_t epsilon_denominator;
  uint64_t start; /* reports can be made from `start` on, and before `end` */
  uint64_t end;
  uint64_t time_precision; /* a report's time is a multiple of this */
  char id[44];             /* the SHA-256 of the canonical document: 43 characters of base64url and a zero byte */
} hearsay_task_info;

/* Tells what the task asks. Refuse a task whose id your app does not expect, or whose epsilon is too large. */
HEARSAY_API hearsay_status hearsay_task_get_info(const hearsay_task* task, hearsay_task_info* info,
                                                 hearsay_error* error) HEARSAY_NOEXCEPT;

/* --- Records --- */

typedef struct hearsay_record hearsay_record;

/* Reads a record of the task's schema: a JSON object with one member for each attribute. Free the record with
 * hearsay_record_free(). */
HEARSAY_API hearsay_status hearsay_record_parse(const hearsay_task* task, const void* json, size_t length,
                                                hearsay_record** out, hearsay_error* error) HEARSAY_NOEXCEPT;

HEARSAY_API void hearsay_record_free(hearsay_record* record) HEARSAY_NOEXCEPT;

/* --- Reports, for a host that has a ledger and an HTTP stack of its own --- */

typedef struct hearsay_bytes hearsay_bytes;

/* Randomizes the record at the time `now`, in seconds since 1970. The bytes are the body of
 * `POST /v1/tasks/ID/reports`, of type application/vnd.hearsay.reports+cbor-seq. Free the bytes with
 * hearsay_bytes_free().
 *
 * UNPAID: every call is a further randomization and costs the person a further epsilon, and nothing here counts the calls.
 * The host must keep a ledger: pay for the report first, call once, store the bytes, and send these same bytes at every
 * retry. */
HEARSAY_API hearsay_status hearsay_make_unpaid_report(const hearsay_task* task, const hearsay_record* record,
                                                      uint64_t now, hearsay_bytes** out,
                                                      hearsay_error* error) HEARSAY_NOEXCEPT;

/* Returns the first byte, which stays until hearsay_bytes_free(). NULL for what is no bytes handle. */
HEARSAY_API const uint8_t* hearsay_bytes_data(const hearsay_bytes* bytes) HEARSAY_NOEXCEPT;
/* Returns how many bytes there are. 0 for what is no bytes handle. */
HEARSAY_API size_t hearsay_bytes_size(const hearsay_bytes* bytes) HEARSAY_NOEXCEPT;
HEARSAY_API void hearsay_bytes_free(hearsay_bytes* bytes) HEARSAY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* HEARSAY_HEARSAY_H */
