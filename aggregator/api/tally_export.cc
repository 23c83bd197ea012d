#include "aggregator/api/tally_export.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "aggregator/api/parameters.h"
#include "aggregator/tally/laplace_tally.h"
#include "aggregator/tally/parts.h"
#include "aggregator/tally/sampled_tally.h"
#include "common/base/int128.h"
#include "common/base/try.h"

namespace hearsay::api {
namespace {

using Place = TallyExport::Place;

std::string decimal(Uint128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

// Many JSON readers are exact for integers only up to 2^53. Larger integers become texts.
std::string in_json(const std::string& digits, Uint128 magnitude) {
  return magnitude <= Uint128{1} << 53U ? digits : '"' + digits + '"';
}

Error invalid(const std::string& message) { return {ErrorCode::kInvalidArgument, message}; }

Result<std::uint64_t> parse_number(std::string_view name, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return invalid("the parameter `" + std::string(name) + "` must be an integer of at least 0");
  }
  return value;
}

// Parses `time.group.answer`.
Result<Place> parse_place(std::string_view text) {
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t dot = i + 1 < numbers.size() ? text.find('.') : text.size();
    if (dot == std::string_view::npos)
      return invalid("the parameter `at` must be copied from the link to the next page");
    HEARSAY_TRY(numbers[i], parse_number("at", text.substr(0, dot)));
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  if (numbers[1] >= tally::SampledTally::kGroupLimit || numbers[2] >= tally::SampledTally::kAnswerLimit) {
    return invalid("the parameter `at` must be copied from the link to the next page");
  }
  return Place{numbers[0], {numbers[1], static_cast<std::uint32_t>(numbers[2])}};
}

// For each window, call begin_window(), then add() for each part, then end_window().
class Page {
 public:
  Page(const Task& task, bool csv, bool first) : task_(task), csv_(csv) {
    const bool laplace = std::holds_alternative<LaplaceChannel>(task.channel().kind());
    if (!csv || !first) return;
    text_ = laplace ? "time,reports,coordinate,sum,sum_of_squares\r\n" : "time,reports,group,answer,count\r\n";
  }

  std::size_t counts() const { return counts_; }

  void begin_window(UnixSeconds time, std::uint64_t reports) {
    time_ = time;
    reports_ = reports;
    first_answer_ = true;
    if (csv_) {
      prefix_ = std::to_string(time) + ',' + std::to_string(reports) + ',';
      return;
    }
    if (!text_.empty()) text_ += ',';
  }

  void add(const tally::Tally& part) {
    std::visit([this](const auto& kind) { add(kind); }, part.kind());
  }

  void end_window() {
    if (csv_ || std::holds_alternative<LaplaceChannel>(task_.channel().kind())) return;
    text_ += "],\"reports\":" + std::to_string(reports_) + ",\"time\":" + std::to_string(time_) + '}';
  }

  http::HttpResponse finish(const TallyExport& request, const std::optional<Place>& next) && {
    std::string link;
    if (next) {
      link = "/v1/tasks/" + task_.id().to_string() + "/tally?" + (csv_ ? "format=csv&" : "") +
             "from=" + std::to_string(request.range.from) + "&to=" + std::to_string(request.range.to) +
             "&at=" + std::to_string(next->window) + '.' + std::to_string(next->part.group) + '.' +
             std::to_string(next->part.answer);
    }
    http::HttpResponse response{200, csv_ ? "text/csv" : "application/json", {}, {}};
    if (next) response.headers.emplace_back("Link", '<' + link + ">; rel=\"next\"");
    if (csv_) {
      response.body = std::move(text_);
      return response;
    }
    response.body = next ? "{\"next\":\"" + link + "\"," : "{";
    response.body += "\"task\":\"" + task_.id().to_string() + "\",\"windows\":[";
    response.body += text_;
    response.body += "]}";
    return response;
  }

 private:
  void add(const tally::LaplaceTally& tally) {
    counts_ += tally.sum.size();
    if (csv_) {
      for (std::size_t j = 0; j < tally.sum.size(); ++j) {
        text_ += prefix_ + std::to_string(j) + ',' + std::to_string(tally.sum[j]) + ',' +
                 decimal(tally.sum_of_squares[j]) + "\r\n";
      }
      return;
    }
    text_ += "{\"reports\":" + std::to_string(reports_) + ",\"sum\":[";
    for (std::size_t j = 0; j < tally.sum.size(); ++j) {
      const std::int64_t sum = tally.sum[j];
      const std::uint64_t magnitude = sum < 0 ? 0 - static_cast<std::uint64_t>(sum) : static_cast<std::uint64_t>(sum);
      text_ += (j == 0 ? "" : ",") + in_json(std::to_string(sum), magnitude);
    }
    text_ += "],\"sum_of_squares\":[";
    for (std::size_t j = 0; j < tally.sum.size(); ++j) {
      text_ += (j == 0 ? "" : ",") + in_json(decimal(tally.sum_of_squares[j]), tally.sum_of_squares[j]);
    }
    text_ += "],\"time\":" + std::to_string(time_) + '}';
  }

  void add(const tally::SampledTally& part) {
    part.for_each([this](const tally::SampledTally::Entry& entry) {
      ++counts_;
      const std::string group = std::to_string(entry.group);
      const std::string rest = ',' + std::to_string(entry.answer) + ',' + std::to_string(entry.count);
      if (csv_) {
        text_.append(prefix_).append(group).append(rest).append("\r\n");
        return;
      }
      text_ += std::exchange(first_answer_, false) ? "{\"answers\":[[" : ",[";
      text_.append(in_json(group, entry.group)).append(rest).append("]");
    });
  }

  const Task& task_;
  const bool csv_;
  std::string text_;  // for JSON the list of windows, for CSV the whole page
  std::size_t counts_ = 0;
  UnixSeconds time_ = 0;
  std::uint64_t reports_ = 0;
  std::string prefix_;
  bool first_answer_ = true;
};

// Moves the reader past the window's parts.
Result<std::uint64_t> count_reports(store::TallyReader& reader, UnixSeconds window) {
  reader.seek(window, {});
  std::uint64_t reports = 0;
  for (;;) {
    HEARSAY_TRY(const std::optional<store::TallyPart> part, reader.next());
    if (!part || part->window != window) return reports;
    reports += part->tally.reports();
  }
}

tally::PartStart start_of(const tally::Parts& parts, const tally::Tally& part) {
  const auto* sampled = std::get_if<tally::SampledTally>(&part.kind());
  if (sampled == nullptr) return {};
  const tally::SampledTally::Entry first = sampled->entries().front();
  return parts.of(first.group, first.answer);
}

}  // namespace

Result<TallyExport> parse_tally_export(std::string_view query, std::string_view accept) {
  TallyExport request;
  request.csv = accept.starts_with("text/csv");
  HEARSAY_TRY(const Parameters parameters, parse_parameters(query, {"format", "from", "to", "at"}));
  for (const auto& [name, value] : parameters) {
    if (name == "format") {
      if (value != "csv" && value != "json") return invalid("the parameter `format` must be csv or json");
      request.csv = value == "csv";
    } else if (name == "from") {
      HEARSAY_TRY(request.range.from, parse_number(name, value));
    } else if (name == "to") {
      HEARSAY_TRY(request.range.to, parse_number(name, value));
    } else {
      HEARSAY_TRY(request.at, parse_place(value));
    }
  }
  if (request.at && (request.at->window < request.range.from || request.at->window >= request.range.to)) {
    return invalid("the parameter `at` belongs to a page of another range: copy `from` and `to` from the same link");
  }
  return request;
}

Result<http::HttpResponse> export_tally(const store::Store& store, const Task& task, const TallyExport& request,
                                        std::size_t page_counts) {
  const tally::Parts parts(task.channel());
  const std::unique_ptr<store::TallyReader> reader = store.read_tallies(task);
  const Place begin = request.at.value_or(Place{request.range.from, {}});
  reader->seek(begin.window, begin.part);
  Page page(task, request.csv, !request.at);
  HEARSAY_TRY(std::optional<store::TallyPart> part, reader->next());
  while (part && part->window < request.range.to && page.counts() < page_counts) {
    const UnixSeconds window = part->window;
    std::uint64_t reports = part->tally.reports();
    if (std::holds_alternative<tally::SampledTally>(part->tally.kind())) {
      HEARSAY_TRY(reports, count_reports(*reader, window));
      reader->seek(window, start_of(parts, part->tally));
      HEARSAY_TRY(part, reader->next());
    }
    page.begin_window(window, reports);
    while (part && part->window == window && page.counts() < page_counts) {
      page.add(part->tally);
      HEARSAY_TRY(part, reader->next());
    }
    page.end_window();
  }
  std::optional<Place> next;
  if (part && part->window < request.range.to) next = Place{part->window, start_of(parts, part->tally)};
  return std::move(page).finish(request, next);
}

}  // namespace hearsay::api
