#include "aggregator/daemon/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <system_error>

namespace hearsay::daemon {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames{"debug", "info", "warn", "error"};

// Both enumerations are in the same order, from debug to error.
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

// The file or stream that gets the lines. After a failed write of spdlog's sink, failed() stays true until
// start_line().
class Log::Destination {
 public:
  explicit Destination(std::ostream* out) : out_(out) {}

  // Call this before a line. If the last write failed, its line may be cut off, so start_line() begins a new line.
  void start_line() {
    if (!failed()) return;
    if (out_ == nullptr) {
      std::clearerr(stderr);
      std::fputc('\n', stderr);
    } else {
      out_->clear();
      *out_ << '\n';
    }
  }

  bool failed() const { return out_ == nullptr ? std::ferror(stderr) != 0 : !*out_; }

  // If the log is a file, waits until all lines are on the disk. Returns 0, or an error number. If the log is not a
  // file, returns 0.
  int sync() const {
    if (out_ != nullptr || ::fdatasync(STDERR_FILENO) == 0) return 0;
    return errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0 : errno;
  }

 private:
  std::ostream* out_;  // null for standard error
};

struct Log::State {
  explicit State(std::ostream* out) : destination(out), logger("hearsayd", make_sink(out)) {
    logger.set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})", spdlog::pattern_time_type::utc);
    logger.flush_on(spdlog::level::trace);
  }

  void write(spdlog::level::level_enum passes, std::string_view level, std::string_view event, const Json& fields) {
    std::string members = R"("level":")";
    members.append(level).append(R"(","event":)").append(dump(Json(event)));
    if (fields.is_object() && !fields.empty()) {
      const std::string object = dump(fields);
      members.append(",").append(object, 1, object.size() - 2);
    }
    logger.log(passes, spdlog::string_view_t(members.data(), members.size()));
  }

  std::mutex recording;  // held while record() runs, so that each call notices its own failed write
  Destination destination;
  spdlog::logger logger;
};

Log::Log(LogLevel level, std::ostream* out) : state_(std::make_unique<State>(out)) { set_level(level); }
Log::~Log() = default;

void Log::write(LogLevel level, std::string_view event, const Json& fields) {
  if (!state_->logger.should_log(to_spdlog(level))) return;
  state_->write(to_spdlog(level), log_level_name(level), event, fields);
}

Result<void> Log::record(std::string_view event, const Json& fields) {
  const std::lock_guard lock(state_->recording);
  state_->destination.start_line();
  errno = 0;
  // the level critical passes every filter
  state_->write(spdlog::level::critical, log_level_name(LogLevel::kInfo), event, fields);
  const int error = state_->destination.failed() ? (errno != 0 ? errno : EIO) : state_->destination.sync();
  if (error == 0) return {};
  return Error{ErrorCode::kIo, "the log cannot be written: " + std::generic_category().message(error)};
}

void Log::set_level(LogLevel level) { state_->logger.set_level(to_spdlog(level)); }

LogLevel Log::level() const { return static_cast<LogLevel>(state_->logger.level() - spdlog::level::debug); }

}  // namespace hearsay::daemon
