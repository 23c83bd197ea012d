// The baseline of `ingest.sh batches`: writes the same reports to RocksDB, one row for each report, in synced batches
// of 1,000 rows. Prints rows per second. The program looks for no duplicates and keeps no tally.
#include <rocksdb/db.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "common/base/try.h"
#include "common/report/report.h"
#include "tests/bench/load/templates.h"

namespace hearsay::load {
namespace {

constexpr std::size_t kRows = 1000;

Result<std::unique_ptr<rocksdb::DB>> open(const std::string& path) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  rocksdb::DB* db = nullptr;
  if (const auto status = rocksdb::DB::Open(options, path, &db); !status.ok()) {
    return Error{ErrorCode::kInvalidArgument, status.ToString()};
  }
  return std::unique_ptr<rocksdb::DB>(db);
}

// The window stands first and is big-endian, so the keys of one window follow one another.
std::string key_of(const ReportView& report) {
  std::string key;
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(report.time >> shift));
  return key.append(reinterpret_cast<const char*>(report.id.bytes.data()), report.id.bytes.size());
}

Result<std::vector<ReportView>> reports_in(std::string_view body) {
  std::span<const std::uint8_t> rest(reinterpret_cast<const std::uint8_t*>(body.data()), body.size());
  std::vector<ReportView> reports;
  while (!rest.empty()) {
    HEARSAY_TRY(const ReportView report, read_report(rest));
    reports.push_back(report);
  }
  return reports;
}

Result<double> rows_per_second(const std::string& task_file, const std::string& path, double seconds) {
  std::ifstream in(task_file);
  HEARSAY_TRY(const Task task, Task::parse(std::string(std::istreambuf_iterator<char>(in), {})));
  HEARSAY_TRY(ReportTemplates templates, ReportTemplates::create(task, {}, kRows, 4096));
  HEARSAY_TRY(const std::unique_ptr<rocksdb::DB> db, open(path));
  rocksdb::WriteOptions synced;
  synced.sync = true;
  std::chrono::duration<double> spent(0);
  std::size_t rows = 0;
  while (spent.count() < seconds) {
    std::string request;
    std::size_t body_at = 0;
    templates.next(request, body_at);
    HEARSAY_TRY(const std::vector<ReportView> reports, reports_in(std::string_view(request).substr(body_at)));
    const auto begin = std::chrono::steady_clock::now();
    rocksdb::WriteBatch batch;
    for (const ReportView& report : reports) {
      batch.Put(key_of(report), {reinterpret_cast<const char*>(report.payload.data()), report.payload.size()});
    }
    if (const auto status = db->Write(synced, &batch); !status.ok()) {
      return Error{ErrorCode::kStoreFailed, status.ToString()};
    }
    spent += std::chrono::steady_clock::now() - begin;
    rows += reports.size();
  }
  return static_cast<double>(rows) / spent.count();
}

}  // namespace
}  // namespace hearsay::load

int main(int argc, char** argv) {
  CLI::App app("rocks_rows: reports a second that RocksDB takes as one row each, 1,000 rows a synced batch.");
  std::string task, store;
  double seconds = 3;
  app.add_option("--task", task)->required();
  app.add_option("--store", store, "Directory of the store, which must not exist yet")->required();
  app.add_option("--seconds", seconds)->capture_default_str()->check(CLI::Range(0.01, 600.0));
  CLI11_PARSE(app, argc, argv);
  const auto rows = hearsay::load::rows_per_second(task, store, seconds);
  if (rows) {
    std::cout << std::fixed << *rows << '\n';
    return 0;
  }
  std::cerr << "rocks_rows: " << rows.error().message << '\n';
  return 2;
}
