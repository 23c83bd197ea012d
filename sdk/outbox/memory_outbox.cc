#include <algorithm>

#include "hearsay/outbox.h"

namespace hearsay::sdk {
namespace {

class MemoryOutbox final : public Outbox {
 public:
  Result<void> put(const ReportBytes& report) override {
    if (std::find(reports_.begin(), reports_.end(), report) == reports_.end()) reports_.push_back(report);
    return {};
  }

  std::vector<ReportBytes> pending() const override { return reports_; }

  Result<void> acknowledge(const ReportBytes& report) override {
    std::erase(reports_, report);
    return {};
  }

 private:
  std::vector<ReportBytes> reports_;
};

}  // namespace

std::unique_ptr<Outbox> make_memory_outbox() { return std::make_unique<MemoryOutbox>(); }

}  // namespace hearsay::sdk
