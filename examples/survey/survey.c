/* A desktop app: asks one question on the terminal, and reports the answer in the background. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hearsay/hearsay.h"

#define TEXT(text) (text), strlen(text) /* the library takes a text as pointer and length */

/* The app's own limits, which no task can change: only this question, once in 90 days, at most epsilon 2. */
static const char* const kSchema = "[{\"name\": \"smoker\", \"type\": \"boolean\"}]";
static const char* const kEpsilon = "2";
enum { kPeriod = 90 * 86400, kRetry = 900 };
enum { kDelay = 1 }; /* seconds; a random delay hides when the person answered. A real app takes hours */

/* Ends when no report waits, or when the client was freed: the library recognises a freed handle. */
static void* flush_in_background(void* client) {
  hearsay_flush_summary sent = {.size = sizeof sent, .pending = 1};
  for (unsigned seconds = 0; sent.pending > 0; seconds = kRetry) {
    unsigned random = 0;
    if (getentropy(&random, sizeof random) != 0) return NULL;
    sleep(seconds);
    usleep(random % (kDelay * 1000000));
    if (hearsay_client_flush(client, 30000, &sent, NULL) != HEARSAY_OK) return NULL;
    if (sent.delivered > 0) puts("your report was sent");
    if (sent.pending > 0) printf("your report waits: %s\n", sent.problem.message);
  }
  return NULL;
}

static void wake(hearsay_client* client) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, flush_in_background, client) == 0) pthread_detach(thread);
}

/* Opens the file in the user's data directory. Keep the file out of backups: a restored copy lacks later payments. */
static hearsay_code open_ledger(hearsay_ledger** ledger, hearsay_error* error) {
  char file[4096];
  const char* data = getenv("XDG_DATA_HOME"); /* if this is not set, a real app takes $HOME/.local/share */
  snprintf(file, sizeof file, "%s/survey", data ? data : ".");
  mkdir(file, 0700);
  snprintf(file, sizeof file, "%s/survey/ledger", data ? data : ".");
  const hearsay_ledger_options options = {sizeof options, TEXT(file), kPeriod, TEXT(kEpsilon), 0, 0, 0, NULL};
  return hearsay_ledger_open(&options, ledger, error);
}

static hearsay_code make_client(char** arguments, hearsay_ledger* ledger, hearsay_client** client,
                                hearsay_error* error) {
  static char document[1 << 16];
  FILE* file = fopen(arguments[3], "rb");
  if (!file) {
    snprintf(error->message, sizeof error->message, "%s cannot be read", arguments[3]);
    return HEARSAY_IO;
  }
  const size_t size = fread(document, 1, sizeof document, file);
  fclose(file);
  hearsay_task* task = NULL;
  hearsay_code code = hearsay_task_parse(document, size, &task, error);
  if (code != HEARSAY_OK) return code;
  const hearsay_limits limits = {sizeof limits, TEXT(kEpsilon), TEXT(kSchema)};
  const uint32_t port = (uint32_t)atoi(arguments[1]);
  const hearsay_server server = {
      sizeof server, TEXT(arguments[0]), port, 0, TEXT(arguments[2]), NULL, 0, NULL, 0, NULL, 0};
  const hearsay_client_options options = {sizeof options, &server, &limits, task, NULL, 0, NULL, 0};
  code = hearsay_client_create(&options, ledger, client, error);
  hearsay_task_free(task);
  return code;
}

static void answer(const char* line, hearsay_client* client, hearsay_ledger* ledger) {
  hearsay_error error = {.size = sizeof error};
  int32_t already = 0;
  hearsay_buffer* log = NULL;
  const char* record = strcmp(line, "yes") == 0 ? "{\"smoker\": true}" : "{\"smoker\": false}";
  if (strcmp(line, "yes") == 0 || strcmp(line, "no") == 0) {
    if (hearsay_client_submit_json(client, TEXT(record), &already, &error) == HEARSAY_OK)
      puts(already ? "you have answered already" : "thank you");
    wake(client);
  } else if (strcmp(line, "log") == 0) {
    if (hearsay_ledger_log(ledger, 100, &log, &error) == HEARSAY_OK) puts((const char*)hearsay_buffer_data(log));
    hearsay_buffer_free(log);
  } else if (strcmp(line, "stop") == 0) {
    if (hearsay_client_opt_out(client, &error) == HEARSAY_OK) puts("this app reports nothing any more");
  }
  if (error.code != HEARSAY_OK) puts(error.message);
}

int main(int argc, char** argv) {
  hearsay_error error = {.size = sizeof error, .message = "usage: survey HOST PORT CA_FILE TASK_FILE"};
  hearsay_ledger* ledger = NULL;
  hearsay_client* client = NULL;
  if (argc != 5 || open_ledger(&ledger, &error) != HEARSAY_OK ||
      make_client(argv + 1, ledger, &client, &error) != HEARSAY_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("Do you smoke? Nobody learns your answer: it is randomized on this device.");
  puts("Type yes or no; log, stop (for good) or quit.");
  wake(client); /* reports of an earlier run may wait */
  for (char line[64]; fgets(line, sizeof line, stdin) && strcmp(line, "quit\n") != 0;) {
    line[strcspn(line, "\n")] = 0;
    answer(line, client, ledger);
  }
  hearsay_client_free(client);
  hearsay_ledger_free(ledger);
  _exit(0); /* does not wait for a flush under way: reports that are not sent stay in the ledger */
}
