#include "examples/simulation/progress.h"

#include <unistd.h>

#include <cstdio>

namespace hearsay::examples {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::chrono::seconds kLineEvery{5};
constexpr std::chrono::seconds kOver{3};  // shortest time over which the rate is computed

double seconds_between(Pace::Clock::time_point from, Pace::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string rounded(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", number);
  return text;
}

}  // namespace

std::string Pace::note(Clock::time_point now, std::size_t done, std::size_t total) {
  if (now - latest_.at >= kOver) {
    before_ = latest_;
    latest_ = {now, done};
  }
  if (before_.at == start_ || done <= before_.done) return "";
  const double rate = static_cast<double>(done - before_.done) / seconds_between(before_.at, now);
  return ", " + rounded(rate) + "/s, " + rounded(static_cast<double>(total - done) / rate) + " s left";
}

std::string Pace::whole(Clock::time_point now, std::size_t done) const {
  const double seconds = seconds_between(start_, now);
  return " in " + rounded(seconds) + " s" +
         (seconds > 0 ? ", " + rounded(static_cast<double>(done) / seconds) + "/s" : "");
}

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::size_t done) {
  const auto now = Pace::Clock::now();
  const std::string pace = pace_.note(now, done, total_);
  if (!terminal_ && now - last_ < kLineEvery) return;
  last_ = now;
  print(done, pace);
}

void Progress::finish(std::size_t done) {
  print(done, pace_.whole(Pace::Clock::now(), done));
  if (terminal_) std::fputc('\n', stderr);
}

void Progress::print(std::size_t done, const std::string& pace) const {
  if (!terminal_) {
    std::fprintf(stderr, "%zu of %zu %s%s\n", done, total_, what_.c_str(), pace.c_str());
    return;
  }
  const std::size_t filled = total_ > 0 ? kBarWidth * done / total_ : kBarWidth;
  std::fprintf(stderr, "\r[%s%s] %zu/%zu %s%s   ", std::string(filled, '#').c_str(),
               std::string(kBarWidth - filled, '.').c_str(), done, total_, what_.c_str(), pace.c_str());
}

}  // namespace hearsay::examples
