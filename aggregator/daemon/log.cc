#include "aggregator/daemon/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>

namespace hearsay::daemon {
namespace {

constexpr std::array<std::pair<LogLevel, std::string_view>, 4> kNames{
    {{LogLevel::kDebug, "debug"}, {LogLevel::kInfo, "info"}, {LogLevel::kWarn, "warn"}, {LogLevel::kError, "error"}}};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

LogLevel from_spdlog(spdlog::level::level_enum level) {
  if (level <= spdlog::level::debug) return LogLevel::kDebug;
  if (level == spdlog::level::info) return LogLevel::kInfo;
  return level == spdlog::level::warn ? LogLevel::kWarn : LogLevel::kError;
}

// RFC 3339 in UTC with milliseconds.
std::string timestamp(spdlog::log_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(since).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ", static_cast<int>((since.count() % 1000 + 1000) % 1000));
  return std::string(text.data(), length) + fraction.data();
}

// Messages arrive as the members of an object that write() has rendered; time and level are put before them.
class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const auto append = [&out](std::string_view text) { out.append(text.data(), text.data() + text.size()); };
    append(R"({"time":")");
    append(timestamp(message.time));
    append(R"(","level":")");
    append(log_level_name(from_spdlog(message.level)));
    append(R"(",)");
    append({message.payload.data(), message.payload.size()});
    append("}\n");
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonFormatter>(); }
};

std::shared_ptr<spdlog::sinks::sink> make_sink(std::ostream* out) {
  if (out != nullptr) return std::make_shared<spdlog::sinks::ostream_sink_mt>(*out, true);
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (const auto& [level, known] : kNames) {
    if (name == known) return level;
  }
  return std::nullopt;
}

std::string_view log_level_name(LogLevel level) { return kNames[static_cast<std::size_t>(level)].second; }

struct Log::State {
  explicit State(std::ostream* out) : logger("hearsayd", make_sink(out)) {
    logger.set_formatter(std::make_unique<JsonFormatter>());
    logger.flush_on(spdlog::level::trace);
  }
  spdlog::logger logger;
};

Log::Log(LogLevel level, std::ostream* out) : state_(std::make_unique<State>(out)) { set_level(level); }
Log::~Log() = default;

void Log::write(LogLevel level, std::string_view event, const Json& fields) {
  if (!state_->logger.should_log(to_spdlog(level))) return;
  std::string members = "\"event\":" + dump(Json(event));
  if (fields.is_object() && !fields.empty()) {
    const std::string object = dump(fields);
    members.append(",").append(object, 1, object.size() - 2);
  }
  state_->logger.log(to_spdlog(level), spdlog::string_view_t(members.data(), members.size()));
}

void Log::set_level(LogLevel level) { state_->logger.set_level(to_spdlog(level)); }

LogLevel Log::level() const { return from_spdlog(state_->logger.level()); }

}  // namespace hearsay::daemon
