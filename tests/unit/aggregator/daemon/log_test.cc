#include "aggregator/daemon/log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <thread>
#include <vector>

namespace hearsay::daemon {
namespace {

std::vector<Json> parsed(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    auto json = parse_json(line);
    REQUIRE_MESSAGE(json, line);
    lines.push_back(*std::move(json));
  }
  return lines;
}

TEST_CASE("a line is a JSON object with time, level and event first, and then the fields") {
  std::ostringstream out;
  Log log(LogLevel::kInfo, &out);
  log.write(LogLevel::kWarn, "ready", {{"port", 8443}, {"store", "/var/lib"}});
  log.write(LogLevel::kInfo, "bare");
  CHECK(std::regex_match(out.str(), std::regex(R"(\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"warn",)"
                                               R"("event":"ready","port":8443,"store":"/var/lib"\}\n)"
                                               R"(\{"time":"[^"]+","level":"info","event":"bare"\}\n)")));
}

TEST_CASE("an event stays one line of JSON, whatever a field contains") {
  std::ostringstream out;
  Log log(LogLevel::kInfo, &out);
  const std::string nasty = "a\"b\\c\nd\r\t\x01 {} {0} %s é \xff";
  log.write(LogLevel::kError, "no\"te", {{"detail", nasty}, {"li\nne", {1, nullptr, true}}});
  const auto lines = parsed(out.str());
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].at("event") == "no\"te");
  CHECK(lines[0].at("detail") == "a\"b\\c\nd\r\t\x01 {} {0} %s é \xef\xbf\xbd");
  CHECK(lines[0].at("li\nne").size() == 3);
}

TEST_CASE("the level of a log may change at any time") {
  std::ostringstream out;
  Log log(LogLevel::kWarn, &out);
  CHECK(log.level() == LogLevel::kWarn);
  log.write(LogLevel::kInfo, "dropped");
  log.set_level(LogLevel::kDebug);
  log.write(LogLevel::kDebug, "kept");
  log.set_level(LogLevel::kError);
  log.write(LogLevel::kWarn, "dropped");
  log.write(LogLevel::kError, "kept");
  const auto lines = parsed(out.str());
  REQUIRE(lines.size() == 2);
  for (const Json& line : lines) CHECK(line.at("event") == "kept");
  CHECK(lines[0].at("level") == "debug");
  CHECK(lines[1].at("level") == "error");
}

TEST_CASE("each log level has a name that is read back, and other names are refused") {
  for (const LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    CHECK(parse_log_level(log_level_name(level)) == level);
  }
  for (const char* name : {"", "INFO", "trace", "off", "err", "info "}) CHECK(!parse_log_level(name));
}

// Accepts `room` bytes, and then no more until the test sets `room` again.
class FullDisk final : public std::streambuf {
 public:
  std::string text;
  std::size_t room = 0;

 private:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    const std::size_t taken = std::min(static_cast<std::size_t>(count), room);
    text.append(bytes, taken);
    room -= taken;
    return static_cast<std::streamsize>(taken);
  }
  int_type overflow(int_type byte) override {
    const char c = traits_type::to_char_type(byte);
    return xsputn(&c, 1) == 1 ? byte : traits_type::eof();
  }
};

TEST_CASE("an audit record is written at every log level, and a record that cannot be written is an error") {
  FullDisk disk;
  disk.room = 1000;
  std::ostream out(&disk);
  Log log(LogLevel::kError, &out);
  CHECK(log.record("admin_call", {{"who", "alice"}}));
  REQUIRE(parsed(disk.text).size() == 1);
  CHECK(parsed(disk.text)[0].at("who") == "alice");
  CHECK(parsed(disk.text)[0].at("level") == "info");

  disk.text.clear();
  disk.room = 20;
  const auto lost = log.record("admin_call", {{"who", "bob"}});
  REQUIRE(!lost);
  CHECK(lost.error().code == ErrorCode::kIo);
  CHECK(lost.error().message.starts_with("the log cannot be written: "));
  CHECK(!log.record("admin_call", {{"who", "bob"}}));
  // After a line that was cut off, the next record begins on a new line.
  disk.room = 1000;
  CHECK(log.record("admin_call", {{"who", "carol"}}));
  REQUIRE(disk.text.find('\n') != std::string::npos);
  const auto lines = parsed(disk.text.substr(disk.text.find('\n') + 1));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].at("who") == "carol");
}

TEST_CASE("lines of several threads do not mix") {
  std::ostringstream out;
  Log log(LogLevel::kInfo, &out);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log, t] {
        for (int i = 0; i < 200; ++i) log.write(LogLevel::kInfo, "tick", {{"thread", t}});
      });
    }
  }
  CHECK(parsed(out.str()).size() == 800);
}

}  // namespace
}  // namespace hearsay::daemon
