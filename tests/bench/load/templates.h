// Prepares requests before the measurement. During the measurement, the generator only copies a request and writes
// fresh ids and times into the copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hearsay/result.h"
#include "hearsay/task.h"

namespace hearsay::load {

struct RequestShape {
  std::string path;
  std::string content_type;
  bool prefer_minimal = true;
};

// Returns the head of a POST with a body of `body_bytes` bytes.
std::string head_of(const RequestShape& shape, std::size_t body_bytes);

// A whole request, and the positions of its reports' ids in `bytes`. Each report's time follows its id directly.
struct RequestTemplate {
  std::string bytes;
  std::size_t body_at = 0;
  std::vector<std::uint32_t> ids_at;
};

// Makes requests of `reports` reports each. The channel randomizes the reports from random records. The reports share
// `payloads` payloads. There are at least 4 requests, or fewer if these take kMaxBytes. Errors: those of randomize();
// kUnsupported (times do not fit 32 bits).
class ReportTemplates {
 public:
  static constexpr std::size_t kMaxBytes = 128U << 20U;

  static Result<ReportTemplates> create(const Task& task, const RequestShape& shape, std::size_t reports,
                                        std::size_t payloads);

  // Fills `request` with the next template, with fresh ids and with the current window's time.
  void next(std::string& request, std::size_t& body_at);
  std::size_t reports() const { return reports_; }

 private:
  ReportTemplates(Task task, std::size_t reports) : task_(std::move(task)), reports_(reports) {}
  Result<RequestTemplate> make(const RequestShape& shape) const;
  void move_to_window(std::uint64_t window);

  Task task_;
  std::size_t reports_;
  std::vector<RequestTemplate> templates_;
  std::size_t turn_ = 0;
  std::uint64_t window_ = 0;
  std::uint64_t ids_ = 0;
  std::uint64_t seed_ = 0;  // makes the ids of different runs different
};

}  // namespace hearsay::load
