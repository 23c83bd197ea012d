// The reports of a device that are under way to the aggregator.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hearsay/result.h"

namespace hearsay::sdk {

using ReportBytes = std::vector<std::uint8_t>;  // one encoded report

// Keeps reports that are made but not yet settled, so that every retry sends the same bytes. A report is settled once
// the aggregator has acknowledged it or has refused it for good.
//
// An app whose reports must survive a restart implements this interface over storage of its own.
//
// Thread-safety: one thread at a time.
class Outbox {
 public:
  virtual ~Outbox() = default;

  // Adds a report. The client calls put() before it sends the report. Does nothing if the report is already here.
  // Errors: kIo (nothing was added; the client does not send the report).
  virtual Result<void> put(const ReportBytes& report) = 0;

  // Returns the reports that are here, in the order in which put() added them.
  virtual std::vector<ReportBytes> pending() const = 0;

  // Removes a report that is settled. Does nothing if the report is not here.
  // Errors: kIo.
  virtual Result<void> acknowledge(const ReportBytes& report) = 0;
};

// Makes an empty outbox in memory. The outbox forgets its reports when the process ends.
std::unique_ptr<Outbox> make_memory_outbox();

}  // namespace hearsay::sdk
