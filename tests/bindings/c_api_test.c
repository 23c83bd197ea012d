/* A program in C11 that goes from a task to a report and its log, without a server. */
#include "hearsay/hearsay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, last_error.message); \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)

static hearsay_error last_error = {.size = sizeof(hearsay_error)};

static const char kSmoker[] = "{\"smoker\": true, \"age\": 3}";

/* Writes the document of a task that is open for reports now. */
static size_t write_task(char* out, size_t size, const char* epsilon) {
  const long long start = (long long)time(NULL) / 86400 * 86400;
  const int written = snprintf(
      out, size,
      "{\"version\": 2, \"title\": \"habits\", \"epsilon\": \"%s\", \"schema\": [{\"name\": \"smoker\", \"type\": "
      "\"boolean\"}, {\"name\": \"age\", \"type\": \"range\", \"min\": 0, \"max\": 4}], \"arrangement\": {\"type\": "
      "\"literals\"}, \"channel\": {\"type\": \"laplace\", \"calibration\": \"tight\"}, \"task_start\": %lld, "
      "\"task_duration\": 864000, \"time_precision\": 86400, \"min_batch_size\": 1}",
      epsilon, start);
  CHECK(written > 0 && (size_t)written < size);
  return (size_t)written;
}

static hearsay_task* parse_task(const char* epsilon) {
  char json[2048];
  const size_t size = write_task(json, sizeof json, epsilon);
  hearsay_task* task = NULL;
  CHECK(hearsay_task_parse(json, size, &task, &last_error) == HEARSAY_OK);
  CHECK(task != NULL);
  return task;
}

static int contains(const hearsay_buffer* buffer, const char* text) {
  return strstr((const char*)hearsay_buffer_data(buffer), text) != NULL;
}

static void describes_a_task(void) {
  hearsay_task* task = parse_task("1");
  hearsay_buffer* json = NULL;
  CHECK(hearsay_task_describe(task, &json, &last_error) == HEARSAY_OK);
  CHECK(contains(json, "\"epsilon\":\"1\"") && contains(json, "\"title\":\"habits\""));
  CHECK(hearsay_buffer_data(json)[hearsay_buffer_size(json)] == 0);
  hearsay_buffer_free(json);
  hearsay_task_free(task);
}

static void reads_raw_texts(void) {
  static const char kDocument[] =
      "{\"version\": 1, \"attributes\": [{\"attribute\": \"smoker\", \"column\": \"Smoker?\", \"kind\": \"texts\", "
      "\"texts\": {\"yes\": [\"Y\"], \"no\": [\"N\"]}}, {\"attribute\": \"age\", \"column\": \"Age\", \"kind\": "
      "\"integer\", \"outside\": \"clamp\"}]}";
  static const char kTexts[] = "{\"Smoker?\": \"Y\", \"Age\": \"33\", \"Name\": \"is not read\"}";
  static const char kUnreadable[] = "{\"Smoker?\": \"secret\", \"Age\": \"33\"}";
  hearsay_task* task = parse_task("1");
  hearsay_companion* companion = NULL;
  CHECK(hearsay_companion_parse(task, "{}", 2, &companion, &last_error) == HEARSAY_MALFORMED && companion == NULL);
  CHECK(hearsay_companion_parse(task, kDocument, sizeof kDocument - 1, &companion, &last_error) == HEARSAY_OK);
  hearsay_task_free(task);
  hearsay_buffer* record = NULL;
  CHECK(hearsay_companion_read(companion, kTexts, sizeof kTexts - 1, &record, &last_error) == HEARSAY_OK);
  CHECK(strcmp((const char*)hearsay_buffer_data(record), "{\"age\":4,\"smoker\":true}") == 0);
  hearsay_buffer_free(record);
  CHECK(hearsay_companion_read(companion, kUnreadable, sizeof kUnreadable - 1, &record, &last_error) ==
        HEARSAY_INVALID_RECORD);
  CHECK(record == NULL && strstr(last_error.message, "secret") == NULL);
  hearsay_companion_free(companion);
  CHECK(hearsay_companion_read(companion, kTexts, sizeof kTexts - 1, &record, &last_error) == HEARSAY_INVALID_ARGUMENT);
}

static void randomizes_anew_each_time(void) {
  hearsay_task* task = parse_task("1");
  hearsay_buffer* first = NULL;
  hearsay_buffer* second = NULL;
  const uint64_t now = (uint64_t)time(NULL);
  CHECK(hearsay_randomize_without_ledger(task, kSmoker, strlen(kSmoker), now, &first, &last_error) == HEARSAY_OK);
  CHECK(hearsay_randomize_without_ledger(task, kSmoker, strlen(kSmoker), now, &second, &last_error) == HEARSAY_OK);
  CHECK(hearsay_buffer_size(first) == hearsay_buffer_size(second));
  CHECK(memcmp(hearsay_buffer_data(first), hearsay_buffer_data(second), hearsay_buffer_size(first)) != 0);
  hearsay_buffer_free(first);
  hearsay_buffer_free(second);
  first = (hearsay_buffer*)task; /* an output becomes NULL on an error */
  CHECK(hearsay_randomize_without_ledger(task, "{}", 2, now, &first, &last_error) == HEARSAY_INVALID_RECORD);
  CHECK(first == NULL && strcmp(last_error.name, "invalid_record") == 0);
  CHECK(hearsay_randomize_without_ledger(task, kSmoker, strlen(kSmoker), 0, &first, &last_error) == HEARSAY_TOO_EARLY);
  hearsay_task_free(task);
}

struct counter {
  uint64_t value;
  int fails;
};

static int read_counter(void* context, uint64_t* value) {
  *value = ((struct counter*)context)->value;
  return ((struct counter*)context)->fails;
}

static int raise_counter(void* context, uint64_t value) {
  if (value < ((struct counter*)context)->value) return 1;
  ((struct counter*)context)->value = value;
  return ((struct counter*)context)->fails;
}

static hearsay_code open_ledger(const char* file, const hearsay_rollback_counter* counter, hearsay_ledger** ledger) {
  const hearsay_ledger_options options = {.size = sizeof options,
                                          .file = file,
                                          .file_size = strlen(file),
                                          .period_seconds = 86400,
                                          .budget = "1.5",
                                          .budget_size = 3,
                                          .counter = counter};
  return hearsay_ledger_open(&options, ledger, &last_error);
}

static hearsay_code make_client(hearsay_ledger* ledger, const hearsay_task* task, const char* max_epsilon,
                                hearsay_client** client) {
  const hearsay_limits limits = {
      .size = sizeof limits, .max_epsilon = max_epsilon, .max_epsilon_size = strlen(max_epsilon)};
  const hearsay_client_options options = {.size = sizeof options, .limits = &limits, .task = task};
  return hearsay_client_create(&options, ledger, client, &last_error);
}

static void pays_once_and_keeps_the_bytes(const char* file) {
  struct counter kept = {0, 0};
  const hearsay_rollback_counter counter = {&read_counter, &raise_counter, &kept};
  hearsay_task* task = parse_task("1");
  hearsay_ledger* ledger = NULL;
  hearsay_client* client = NULL;
  int32_t already = -1;
  CHECK(open_ledger(file, &counter, &ledger) == HEARSAY_OK);
  CHECK(make_client(ledger, task, "0.5", &client) == HEARSAY_TASK_MISMATCH && client == NULL);
  CHECK(make_client(ledger, task, "1", &client) == HEARSAY_OK);

  CHECK(hearsay_client_submit_json(client, "{}", 2, &already, &last_error) == HEARSAY_INVALID_RECORD);
  CHECK(hearsay_client_submit_json(client, kSmoker, strlen(kSmoker), &already, &last_error) == HEARSAY_OK);
  CHECK(already == 0 && kept.value > 0);
  /* After the first report of a period, the client does not look at another record. */
  CHECK(hearsay_client_submit_json(client, "{}", 2, &already, &last_error) == HEARSAY_OK && already == 1);

  hearsay_task* other = parse_task("0.6");
  hearsay_client* beyond = NULL;
  CHECK(make_client(ledger, other, "1", &beyond) == HEARSAY_OK);
  CHECK(hearsay_client_submit_json(beyond, kSmoker, strlen(kSmoker), &already, &last_error) ==
        HEARSAY_BUDGET_EXHAUSTED);
  hearsay_client_free(beyond);
  hearsay_task_free(other);

  CHECK(hearsay_client_flush(client, 1000, NULL, &last_error) == HEARSAY_INVALID_ARGUMENT);
  int64_t number = 0;
  hearsay_buffer* report = NULL;
  CHECK(hearsay_client_next_report(client, &number, &report, &last_error) == HEARSAY_OK && report != NULL);
  uint8_t bytes[256];
  const size_t size = hearsay_buffer_size(report);
  CHECK(size > 20 && size < sizeof bytes);
  memcpy(bytes, hearsay_buffer_data(report), size);
  hearsay_buffer_free(report);

  /* After a restart the ledger still holds the same bytes. */
  hearsay_client_free(client);
  hearsay_ledger* second = NULL;
  CHECK(open_ledger(file, &counter, &second) == HEARSAY_IN_USE && second == NULL);
  hearsay_ledger_free(ledger);
  CHECK(open_ledger(file, &counter, &ledger) == HEARSAY_OK);
  CHECK(make_client(ledger, task, "1", &client) == HEARSAY_OK);
  CHECK(hearsay_client_next_report(client, &number, &report, &last_error) == HEARSAY_OK);
  CHECK(hearsay_buffer_size(report) == size && memcmp(hearsay_buffer_data(report), bytes, size) == 0);
  hearsay_buffer_free(report);

  CHECK(hearsay_client_settle_report(client, number, 1, NULL, 0, (uint64_t)time(NULL), &last_error) == HEARSAY_OK);
  CHECK(hearsay_client_next_report(client, &number, &report, &last_error) == HEARSAY_OK && report == NULL);
  hearsay_buffer* log = NULL;
  CHECK(hearsay_ledger_log(ledger, 10, &log, &last_error) == HEARSAY_OK);
  CHECK(contains(log, "\"state\":\"delivered\"") && contains(log, "\"title\":\"habits\""));
  hearsay_buffer_free(log);

  int32_t out = -1;
  CHECK(hearsay_client_opt_out(client, &last_error) == HEARSAY_OK);
  CHECK(hearsay_ledger_opted_out(ledger, &out, &last_error) == HEARSAY_OK && out == 1);
  CHECK(hearsay_ledger_log(ledger, 10, &log, &last_error) == HEARSAY_OK);
  CHECK(strcmp((const char*)hearsay_buffer_data(log), "[]") == 0);
  hearsay_buffer_free(log);
  CHECK(hearsay_client_submit_json(client, kSmoker, strlen(kSmoker), &already, &last_error) == HEARSAY_OPTED_OUT);
  CHECK(hearsay_ledger_opt_in(ledger, &last_error) == HEARSAY_OK);
  CHECK(hearsay_client_submit_json(client, kSmoker, strlen(kSmoker), &already, &last_error) == HEARSAY_OK);
  CHECK(already == 1); /* after opting in again, the period is still paid for */
  hearsay_client_free(client);
  hearsay_ledger_free(ledger);

  /* The library refuses a path with a zero byte. */
  const hearsay_ledger_options cut = {.size = sizeof cut, .file = "x\0y", .file_size = 3};
  CHECK(hearsay_ledger_open(&cut, &ledger, &last_error) == HEARSAY_INVALID_ARGUMENT && ledger == NULL);
  const hearsay_ledger_options none = {.size = sizeof none, .file = file, .file_size = strlen(file), .budget_size = 4};
  CHECK(hearsay_ledger_open(&none, &ledger, &last_error) == HEARSAY_INVALID_ARGUMENT);

  /* If the counter is ahead of the ledger, or fails, the library refuses to open the ledger. */
  kept.value += 1000;
  CHECK(open_ledger(file, &counter, &ledger) == HEARSAY_LEDGER_DAMAGED && ledger == NULL);
  kept.fails = 1;
  CHECK(open_ledger(file, &counter, &ledger) == HEARSAY_IO);
  hearsay_task_free(task);
}

/* A program built with a later header has longer structs. The library accepts them if the new members are zero. */
static void accepts_structs_of_other_versions(void) {
  struct {
    hearsay_limits limits;
    uint64_t later;
  } longer = {.limits = {.size = sizeof longer, .max_epsilon = "1", .max_epsilon_size = 1}};
  const char* none = "";
  hearsay_task* tasks[1];
  size_t count = 0;
  /* The library reads the limits before it refuses the list. */
  CHECK(hearsay_task_list_read(none, 0, "", 0, 0, 0, &longer.limits, tasks, 1, &count, NULL, &last_error) ==
        HEARSAY_INVALID_ARGUMENT);
  static const char key[] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  CHECK(hearsay_task_list_read("{}", 2, key, 43, 0, 0, &longer.limits, tasks, 1, &count, NULL, &last_error) ==
        HEARSAY_MALFORMED);
  longer.later = 1;
  CHECK(hearsay_task_list_read("{}", 2, key, 43, 0, 0, &longer.limits, tasks, 1, &count, NULL, &last_error) ==
        HEARSAY_INVALID_ARGUMENT);
  /* This error struct ends before `message`. The library writes nothing beyond the struct's end. */
  hearsay_error shorter = {.size = offsetof(hearsay_error, message)};
  strcpy(shorter.message, "untouched");
  CHECK(hearsay_task_parse("{", 1, &tasks[0], &shorter) == HEARSAY_MALFORMED && tasks[0] == NULL);
  CHECK(shorter.code == HEARSAY_MALFORMED && strcmp(shorter.message, "untouched") == 0);
  shorter.size += 5;
  CHECK(hearsay_task_parse("{", 1, &tasks[0], &shorter) == HEARSAY_MALFORMED && strlen(shorter.message) == 4);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  CHECK(hearsay_abi_version() == HEARSAY_ABI_VERSION);
  describes_a_task();
  reads_raw_texts();
  randomizes_anew_each_time();
  pays_once_and_keeps_the_bytes(argv[1]);
  accepts_structs_of_other_versions();
  puts("all well");
  return 0;
}
