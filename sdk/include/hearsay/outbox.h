// Reports that are randomized but not yet acknowledged.
#pragma once

#include <cstdint>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::sdk {

using ReportBytes = std::vector<std::uint8_t>;

// Holds each report's exact bytes until the aggregator has acknowledged them or refused them for good, so that a retry
// resends the same bytes.
class Outbox {
 public:
  virtual ~Outbox() = default;
  // Adds a report unless it is pending already. Errors: kIo, and then nothing may be sent.
  virtual Result<void> put(const ReportBytes& report) = 0;
  // In the order they were put.
  virtual std::vector<ReportBytes> pending() const = 0;
  // Takes the report out.
  virtual Result<void> acknowledge(const ReportBytes& report) = 0;
};

// Pending reports in memory, lost with the process. One thread at a time.
class MemoryOutbox final : public Outbox {
 public:
  Result<void> put(const ReportBytes& report) override;
  std::vector<ReportBytes> pending() const override { return reports_; }
  Result<void> acknowledge(const ReportBytes& report) override;

 private:
  std::vector<ReportBytes> reports_;
};

}  // namespace hearsay::sdk
