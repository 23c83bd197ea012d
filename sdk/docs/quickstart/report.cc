#include "hearsay/client.h"

using namespace hearsay;

Result<sdk::FlushSummary> report(const Task& task, const std::string& record, const sdk::ServerOptions& server) {
  const sdk::LedgerPolicy policy{.period = std::chrono::hours(90 * 24), .budget = task.epsilon()};
  const auto ledger = sdk::Ledger::open({.file = "ledger.db", .policy = policy});
  if (!ledger) return ledger.error();
  const auto transport = sdk::make_https_transport(server);
  if (!transport) return transport.error();
  const auto clock = make_system_clock();
  auto client = sdk::Client::create({task.id(), task.epsilon()}, task, {**transport, **ledger, *clock});
  if (!client) return client.error();
  const auto paid = client->submit_json(record);  // pays, randomizes and queues; uses no network
  if (!paid) return paid.error();
  return client->flush(std::chrono::seconds(30));  // an app flushes later: see hearsay/background_flush.h
}
