/* What a C11 program can do with the library, and what it is told when something is wrong. */
#define _POSIX_C_SOURCE 200809L
#include <hearsay/hearsay.h>
#include <stdio.h>
#include <string.h>

#include "task.h"

static int failures = 0;

#define CHECK(condition)                                            \
  do {                                                              \
    if (!(condition)) {                                             \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);        \
      ++failures;                                                   \
    }                                                               \
  } while (0)

#define REQUIRE(condition) \
  do {                     \
    CHECK(condition);      \
    if (failures) return;  \
  } while (0)

static hearsay_error empty_error(void) {
  hearsay_error error;
  memset(&error, 'x', sizeof error);
  error.size = sizeof error;
  return error;
}

static void test_report(void) {
  hearsay_error error = empty_error();
  hearsay_task* task = NULL;
  REQUIRE(hearsay_task_parse(kTask, strlen(kTask), &task, &error) == HEARSAY_OK);

  hearsay_task_info info;
  info.size = sizeof info;
  CHECK(hearsay_task_get_info(task, &info, &error) == HEARSAY_OK);
  CHECK(info.epsilon_numerator == 1 && info.epsilon_denominator == 2);
  CHECK(info.start == 86400 && info.end == 86400 + 6311520000u && info.time_precision == 86400);
  CHECK(strlen(info.id) == 43);

  hearsay_record* record = NULL;
  REQUIRE(hearsay_record_parse(task, kRecord, strlen(kRecord), &record, &error) == HEARSAY_OK);
  hearsay_bytes* report = NULL;
  hearsay_bytes* other = NULL;
  REQUIRE(hearsay_make_unpaid_report(task, record, 90000, &report, &error) == HEARSAY_OK);
  REQUIRE(hearsay_make_unpaid_report(task, record, 90000, &other, NULL) == HEARSAY_OK);
  REQUIRE(hearsay_bytes_size(report) > 20 && hearsay_bytes_size(report) == hearsay_bytes_size(other));
  /* CBOR: an array of four, version 1, an id of 16 bytes. Two reports have different ids. */
  CHECK(memcmp(hearsay_bytes_data(report), "\x84\x01\x50", 3) == 0);
  CHECK(memcmp(hearsay_bytes_data(report), hearsay_bytes_data(other), hearsay_bytes_size(other)) != 0);

  hearsay_bytes* none = NULL;
  CHECK(hearsay_make_unpaid_report(task, record, 86399, &none, &error) == HEARSAY_TOO_EARLY);
  CHECK(error.status == HEARSAY_TOO_EARLY && strlen(error.message) > 0);
  CHECK(hearsay_make_unpaid_report(task, record, info.end, &none, &error) == HEARSAY_EXPIRED);
  CHECK(none == NULL);

  /* A freed handle is an error, and so is one of another kind. */
  hearsay_record_free(record);
  CHECK(hearsay_make_unpaid_report(task, record, 90000, &none, &error) == HEARSAY_INVALID_ARGUMENT);
  CHECK(strcmp(error.message, "record is no record") == 0);
  CHECK(hearsay_make_unpaid_report((const hearsay_task*)report, record, 90000, &none, &error) ==
        HEARSAY_INVALID_ARGUMENT);
  hearsay_record_free(record);
  hearsay_bytes_free(report);
  hearsay_bytes_free(other);
  CHECK(hearsay_bytes_data(report) == NULL && hearsay_bytes_size(report) == 0);
  hearsay_task_free(task);
  CHECK(hearsay_task_get_info(task, &info, &error) == HEARSAY_INVALID_ARGUMENT);
}

static void test_refusals(void) {
  hearsay_error error = empty_error();
  hearsay_task* task = NULL;
  CHECK(hearsay_task_parse("{", 1, &task, &error) == HEARSAY_INVALID_TASK);
  CHECK(error.status == HEARSAY_INVALID_TASK && strcmp(error.name, "malformed_json") == 0);
  CHECK(task == NULL);
  CHECK(hearsay_task_parse(NULL, 0, &task, &error) == HEARSAY_INVALID_TASK);
  CHECK(hearsay_task_parse(NULL, 1, &task, &error) == HEARSAY_INVALID_ARGUMENT);
  CHECK(hearsay_task_parse(kTask, strlen(kTask), NULL, &error) == HEARSAY_INVALID_ARGUMENT);
  CHECK(hearsay_task_parse(kTask, SIZE_MAX, &task, &error) == HEARSAY_INVALID_ARGUMENT);

  /* The message is cut where it ends, between two characters. */
  char unknown[1200] = "{\"";
  while (strlen(unknown) < 1100) strcat(unknown, "\xc3\xa9");
  strcat(unknown, "\": 1}");
  CHECK(hearsay_task_parse(unknown, strlen(unknown), &task, &error) == HEARSAY_INVALID_TASK);
  CHECK(memchr(error.message, 0, sizeof error.message) != NULL);

  CHECK(hearsay_task_parse(kTask, strlen(kTask), &task, NULL) == HEARSAY_OK);
  hearsay_record* record = NULL;
  const char text[] = "{\"smoker\": true, \"age\": 4711}";
  CHECK(hearsay_record_parse(task, text, strlen(text), &record, &error) == HEARSAY_INVALID_RECORD);
  CHECK(strstr(error.message, "4711") == NULL); /* no value of a record */
  CHECK(record == NULL);

  hearsay_task_info info;
  info.size = 8;
  CHECK(hearsay_task_get_info(task, &info, &error) == HEARSAY_INVALID_ARGUMENT);
  CHECK(hearsay_task_get_info(task, NULL, &error) == HEARSAY_INVALID_ARGUMENT);

  /* An error struct of another size is not written to, and nothing is done. */
  hearsay_error small = empty_error();
  small.size = 16;
  CHECK(hearsay_record_parse(task, kRecord, strlen(kRecord), &record, &small) == HEARSAY_INVALID_ARGUMENT);
  CHECK(record == NULL && small.message[0] == 'x');
  hearsay_task_free(task);
}

int main(void) {
  CHECK(hearsay_abi_version() == HEARSAY_ABI_VERSION);
  test_report();
  test_refusals();
  return failures == 0 ? 0 : 1;
}
