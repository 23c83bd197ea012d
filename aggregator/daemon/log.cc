#include "aggregator/daemon/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>

namespace hearsay::daemon {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames{"debug", "info", "warn", "error"};

// Both count from debug to error.
spdlog::level::level_enum to_spdlog(LogLevel level) {
  return static_cast<spdlog::level::level_enum>(spdlog::level::debug + static_cast<int>(level));
}
static_assert(spdlog::level::debug + static_cast<int>(LogLevel::kError) == spdlog::level::err);

std::shared_ptr<spdlog::sinks::sink> make_sink(std::ostream* out) {
  if (out != nullptr) return std::make_shared<spdlog::sinks::ostream_sink_mt>(*out, true);
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view name) {
  const auto* const found = std::find(kLevelNames.begin(), kLevelNames.end(), name);
  if (found == kLevelNames.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLevelNames.begin());
}

std::string_view log_level_name(LogLevel level) { return kLevelNames[static_cast<std::size_t>(level)]; }

struct Log::State {
  explicit State(std::ostream* out) : logger("hearsayd", make_sink(out)) {
    logger.set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})", spdlog::pattern_time_type::utc);
    logger.flush_on(spdlog::level::trace);
  }
  spdlog::logger logger;
};

Log::Log(LogLevel level, std::ostream* out) : state_(std::make_unique<State>(out)) { set_level(level); }
Log::~Log() = default;

void Log::write(LogLevel level, std::string_view event, const Json& fields) {
  if (!state_->logger.should_log(to_spdlog(level))) return;
  std::string members = R"("level":")";
  members.append(log_level_name(level)).append(R"(","event":)").append(dump(Json(event)));
  if (fields.is_object() && !fields.empty()) {
    const std::string object = dump(fields);
    members.append(",").append(object, 1, object.size() - 2);
  }
  state_->logger.log(to_spdlog(level), spdlog::string_view_t(members.data(), members.size()));
}

void Log::set_level(LogLevel level) { state_->logger.set_level(to_spdlog(level)); }

LogLevel Log::level() const { return static_cast<LogLevel>(state_->logger.level() - spdlog::level::debug); }

}  // namespace hearsay::daemon
