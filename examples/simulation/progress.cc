#include "examples/simulation/progress.h"

#include <unistd.h>

#include <cstdio>

namespace hearsay::examples {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::chrono::seconds kLineEvery{5};

}  // namespace

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::size_t done) {
  const auto now = Clock::now();
  if (!terminal_ && now - last_ < kLineEvery) return;
  last_ = now;
  print(done);
}

void Progress::finish(std::size_t done) {
  print(done);
  if (terminal_) std::fputc('\n', stderr);
}

void Progress::print(std::size_t done) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const double left = rate > 0 ? static_cast<double>(total_ - done) / rate : 0;
  if (!terminal_) {
    std::fprintf(stderr, "%zu of %zu %s, %.0f/s, %.0f s left\n", done, total_, what_.c_str(), rate, left);
    return;
  }
  const std::size_t filled = total_ > 0 ? kBarWidth * done / total_ : kBarWidth;
  std::fprintf(stderr, "\r[%s%s] %zu/%zu %s  %.0f/s  %.0f s left  ", std::string(filled, '#').c_str(),
               std::string(kBarWidth - filled, '.').c_str(), done, total_, what_.c_str(), rate, left);
}

}  // namespace hearsay::examples
