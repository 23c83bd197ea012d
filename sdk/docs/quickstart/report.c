#include "hearsay/hearsay.h"

#include <string.h>

hearsay_code report(const hearsay_task* task, const char* record, const hearsay_server* server,
                    hearsay_flush_summary* sent, hearsay_error* error) {
  const hearsay_ledger_options person = {sizeof person, .file = "ledger.db", .file_size = 9, .budget = "1",
                                         .budget_size = 1, .period_seconds = 90 * 86400};
  const hearsay_limits limits = {sizeof limits, .max_epsilon = "1", .max_epsilon_size = 1};
  const hearsay_client_options options = {sizeof options, .server = server, .limits = &limits, .task = task};
  hearsay_ledger* ledger = NULL;
  hearsay_client* client = NULL;
  hearsay_code code = hearsay_ledger_open(&person, &ledger, error);
  if (code == HEARSAY_OK) code = hearsay_client_create(&options, ledger, &client, error);
  if (code == HEARSAY_OK) code = hearsay_client_submit_json(client, record, strlen(record), NULL, error);
  /* An app flushes later, on another thread: only this call uses the network. */
  if (code == HEARSAY_OK) code = hearsay_client_flush(client, 30000, sent, error);
  hearsay_client_free(client);
  hearsay_ledger_free(ledger);
  return code;
}
