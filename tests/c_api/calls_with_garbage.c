/* Every function with every choice of NULL, good and garbage arguments. Each function runs in a child process, so that a
 * crash of one is seen, named, and hides none of the others. */
#define _POSIX_C_SOURCE 200809L
#include <hearsay/hearsay.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "task.h"

enum { kHandles = 6, kTexts = 6, kErrors = 4, kTimes = 4 };

static void* handles[kHandles];
static struct {
  const void* data;
  size_t length;
} texts[kTexts];
static hearsay_error error_structs[3];
static hearsay_error* errors[kErrors];
static const uint64_t times[kTimes] = {0, 90000, INT64_MAX, UINT64_MAX};
static int wrong = 0;

/* A status is one of the header's, and success and `*out` go together. */
static void expect(hearsay_status status, const void* out) {
  if (status < HEARSAY_OK || status > HEARSAY_INTERNAL) wrong = 1;
  if ((status == HEARSAY_OK) != (out != NULL)) wrong = 1;
}

static void prepare(void) {
  hearsay_task* task = NULL;
  hearsay_record* record = NULL;
  hearsay_bytes* bytes = NULL;
  if (hearsay_task_parse(kTask, strlen(kTask), &task, NULL) != HEARSAY_OK) wrong = 1;
  if (hearsay_record_parse(task, kRecord, strlen(kRecord), &record, NULL) != HEARSAY_OK) wrong = 1;
  if (hearsay_make_unpaid_report(task, record, 90000, &bytes, NULL) != HEARSAY_OK) wrong = 1;
  void* all[kHandles] = {NULL, task, record, bytes, (void*)(uintptr_t)0xdeadbeef, (void*)UINTPTR_MAX};
  memcpy(handles, all, sizeof all);

  static const unsigned char noise[64] = {0xff, 0xfe, 0x00, 0x7b, 0x22, 0x80};
  texts[0].data = NULL;
  texts[0].length = 0;
  texts[1].data = NULL;
  texts[1].length = 7;
  texts[2].data = kTask;
  texts[2].length = strlen(kTask);
  texts[3].data = kRecord;
  texts[3].length = strlen(kRecord);
  texts[4].data = noise;
  texts[4].length = sizeof noise;
  texts[5].data = kTask; /* longer than any document: refused before it is read */
  texts[5].length = SIZE_MAX;

  error_structs[0].size = sizeof(hearsay_error);
  error_structs[1].size = 0;
  error_structs[2].size = SIZE_MAX;
  errors[0] = NULL;
  for (int i = 0; i < 3; ++i) errors[i + 1] = &error_structs[i];
}

static void call_task_parse(void) {
  for (int t = 0; t < kTexts; ++t) {
    for (int e = 0; e < kErrors; ++e) {
      hearsay_task* task = NULL;
      const hearsay_status status = hearsay_task_parse(texts[t].data, texts[t].length, &task, errors[e]);
      expect(status, task);
      expect(hearsay_task_parse(texts[t].data, texts[t].length, NULL, errors[e]), NULL);
      hearsay_task_free(task);
    }
  }
}

/* Documents that end too early, and documents with one byte changed. */
static void call_task_parse_damaged(void) {
  char damaged[sizeof kTask];
  for (size_t i = 0; i < strlen(kTask); ++i) {
    hearsay_task* task = NULL;
    memcpy(damaged, kTask, sizeof kTask);
    hearsay_status status = hearsay_task_parse(damaged, i, &task, errors[1]);
    expect(status, task);
    hearsay_task_free(task);
    damaged[i] = (char)(damaged[i] ^ (1 << (i % 8)));
    task = NULL;
    status = hearsay_task_parse(damaged, strlen(kTask), &task, errors[1]);
    expect(status, task);
    hearsay_task_free(task);
  }
}

static void call_task_get_info(void) {
  const size_t sizes[] = {0, 8, sizeof(hearsay_task_info), SIZE_MAX};
  for (int h = 0; h < kHandles; ++h) {
    for (int e = 0; e < kErrors; ++e) {
      expect(hearsay_task_get_info(handles[h], NULL, errors[e]), NULL);
      for (int s = 0; s < 4; ++s) {
        hearsay_task_info info;
        memset(&info, 0, sizeof info);
        info.size = sizes[s];
        const hearsay_status status = hearsay_task_get_info(handles[h], &info, errors[e]);
        expect(status, info.end != 0 ? &info : NULL);
      }
    }
  }
}

static void call_record_parse(void) {
  for (int h = 0; h < kHandles; ++h) {
    for (int t = 0; t < kTexts; ++t) {
      for (int e = 0; e < kErrors; ++e) {
        hearsay_record* record = NULL;
        const hearsay_status status = hearsay_record_parse(handles[h], texts[t].data, texts[t].length, &record, errors[e]);
        expect(status, record);
        expect(hearsay_record_parse(handles[h], texts[t].data, texts[t].length, NULL, errors[e]), NULL);
        hearsay_record_free(record);
      }
    }
  }
}

static void call_make_unpaid_report(void) {
  for (int h = 0; h < kHandles; ++h) {
    for (int r = 0; r < kHandles; ++r) {
      for (int t = 0; t < kTimes; ++t) {
        for (int e = 0; e < kErrors; ++e) {
          hearsay_bytes* bytes = NULL;
          const hearsay_status status = hearsay_make_unpaid_report(handles[h], handles[r], times[t], &bytes, errors[e]);
          expect(status, bytes);
          expect(hearsay_make_unpaid_report(handles[h], handles[r], times[t], NULL, errors[e]), NULL);
          hearsay_bytes_free(bytes);
        }
      }
    }
  }
}

static void call_bytes(void) {
  for (int h = 0; h < kHandles; ++h) {
    const int good = h == 3;
    if ((hearsay_bytes_data(handles[h]) != NULL) != good) wrong = 1;
    if ((hearsay_bytes_size(handles[h]) != 0) != good) wrong = 1;
  }
}

static void call_free(void) {
  for (int twice = 0; twice < 2; ++twice) {
    for (int h = 0; h < kHandles; ++h) {
      hearsay_task_free(handles[h]);
      hearsay_record_free(handles[h]);
      hearsay_bytes_free(handles[h]);
    }
  }
  call_make_unpaid_report();
  if (hearsay_bytes_data(handles[3]) != NULL) wrong = 1;
}

int main(void) {
  static const struct {
    const char* name;
    void (*call)(void);
  } calls[] = {
      {"hearsay_task_parse", call_task_parse},
      {"hearsay_task_parse of damaged documents", call_task_parse_damaged},
      {"hearsay_task_get_info", call_task_get_info},
      {"hearsay_record_parse", call_record_parse},
      {"hearsay_make_unpaid_report", call_make_unpaid_report},
      {"hearsay_bytes", call_bytes},
      {"the free functions", call_free},
  };
  int failures = 0;
  prepare();
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      calls[i].call();
      _exit(wrong);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      printf("%s: wait status %d\n", calls[i].name, status);
      ++failures;
    }
  }
  return failures == 0 ? 0 : 1;
}
