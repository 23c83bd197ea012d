#include "tests/bench/load/templates.h"

#include <algorithm>
#include <cstring>

#include "common/base/try.h"
#include "common/privacy/samplers.h"
#include "common/random/bit_source.h"
#include "common/report/randomize.h"
#include "hearsay/clock.h"

namespace hearsay::load {
namespace {

constexpr std::size_t kIdBytes = 16;
// Position of the id in an encoded report, behind the array's head, the version and the id's head.
constexpr std::size_t kIdAt = 3;

// The finalizer of SplitMix64, a bijection of 64-bit words. Applied to a counter, it gives unique ids that spread like
// random ids.
std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

Result<Record> random_record(const Schema& schema) {
  std::vector<std::uint32_t> values;
  for (const Attribute& attribute : schema.attributes()) {
    values.push_back(static_cast<std::uint32_t>(uniform_below(system_bit_source(), attribute.size())));
  }
  return Record::create(schema, std::move(values));
}

}  // namespace

std::string head_of(const RequestShape& shape, std::size_t body_bytes) {
  return "POST " + shape.path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + shape.content_type + "\r\n" +
         (shape.prefer_minimal ? "Prefer: return=minimal\r\n" : "") + "Content-Length: " + std::to_string(body_bytes) +
         "\r\n\r\n";
}

Result<ReportTemplates> ReportTemplates::create(const Task& task, const RequestShape& shape, std::size_t reports,
                                                std::size_t payloads) {
  ReportTemplates made(task, reports);
  made.seed_ = system_bit_source().bits(64);
  made.window_ = task.window_of(make_system_clock()->now());
  if (made.window_ < 65536 || task.end() > 0xffffffffU) {
    return Error{ErrorCode::kUnsupported, "the task's times are not those of this century"};
  }
  const std::size_t wanted = std::max<std::size_t>(4, (payloads + reports - 1) / reports);
  std::size_t bytes = 0;
  while (made.templates_.size() < wanted && bytes < kMaxBytes) {
    HEARSAY_TRY(RequestTemplate request, made.make(shape));
    bytes += request.bytes.size();
    made.templates_.push_back(std::move(request));
  }
  return made;
}

Result<RequestTemplate> ReportTemplates::make(const RequestShape& shape) const {
  RequestTemplate request;
  std::vector<std::uint8_t> body;
  for (std::size_t i = 0; i < reports_; ++i) {
    HEARSAY_TRY(const Record record, random_record(task_.schema()));
    HEARSAY_TRY(Report report, randomize(task_, record, make_system_clock()->now(), system_bit_source()));
    report.time = window_;
    request.ids_at.push_back(static_cast<std::uint32_t>(body.size() + kIdAt));
    append_report(report, body);
  }
  request.bytes = head_of(shape, body.size());
  request.body_at = request.bytes.size();
  request.bytes.append(reinterpret_cast<const char*>(body.data()), body.size());
  for (std::uint32_t& at : request.ids_at) at += static_cast<std::uint32_t>(request.body_at);
  return request;
}

void ReportTemplates::next(std::string& request, std::size_t& body_at) {
  const std::uint64_t window = task_.window_of(make_system_clock()->now());
  if (window != window_ && window < task_.end()) move_to_window(window);
  const RequestTemplate& from = templates_[turn_];
  turn_ = turn_ + 1 == templates_.size() ? 0 : turn_ + 1;
  request.assign(from.bytes);
  body_at = from.body_at;
  for (const std::uint32_t at : from.ids_at) {
    const std::uint64_t counter = ids_++;
    const std::uint64_t id[2] = {scrambled(seed_ + counter), scrambled(~seed_ ^ (counter * 2 + 1))};
    static_assert(sizeof id == kIdBytes);
    std::memcpy(request.data() + at, id, kIdBytes);
  }
}

// In CBOR, a time of 32 bits is the byte 1a and four bytes in big-endian order.
void ReportTemplates::move_to_window(std::uint64_t window) {
  window_ = window;
  for (RequestTemplate& request : templates_) {
    for (const std::uint32_t at : request.ids_at) {
      for (std::size_t i = 0; i < 4; ++i) {
        request.bytes[at + kIdBytes + 1 + i] = static_cast<char>(window >> (8 * (3 - i)));
      }
    }
  }
}

}  // namespace hearsay::load
