#include "common/random/bit_source.h"

#include <doctest/doctest.h>
#include <openssl/rand.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <iostream>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/bit_sources.h"

// This program replaces three library functions, so that tests can count calls and make them fail. Definitions in an
// executable take precedence over those of shared libraries.
namespace {

std::atomic<bool> generator_fails = false;
std::atomic<bool> kernel_refuses_to_wipe = false;
std::atomic<std::size_t> generated = 0;
std::atomic<std::size_t> mixed_in = 0;  // the number of calls of getentropy()
std::atomic<void*> last_wiped_page = nullptr;

}  // namespace

extern "C" int RAND_bytes(unsigned char* out, int count) {
  if (generator_fails) return 0;
  generated += static_cast<std::size_t>(count);
  return RAND_bytes_ex(nullptr, out, static_cast<std::size_t>(count), 0);
}

extern "C" int getentropy(void* out, size_t count) {
  ++mixed_in;
  return syscall(SYS_getrandom, out, count, 0) == static_cast<long>(count) ? 0 : -1;
}

extern "C" int madvise(void* start, std::size_t bytes, int advice) noexcept {
  if (advice == MADV_WIPEONFORK && kernel_refuses_to_wipe) return -1;
  if (advice == MADV_WIPEONFORK) last_wiped_page = start;
  return static_cast<int>(syscall(SYS_madvise, start, bytes, advice));
}

namespace hearsay {
namespace {

using Block = std::array<std::uint8_t, 64>;

Block draw_block() {
  Block block;
  system_bit_source().fill(block);
  return block;
}

// Two blocks of 64 bytes: the calling thread's next block in this process, and in a child.
struct Forked {
  Block parent;
  Block child;
};

Forked draw_after_fork() {
  std::array<int, 2> ends;
  REQUIRE(pipe(ends.data()) == 0);
  std::cout.flush();  // otherwise the child might print buffered text again
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const Block block = draw_block();
    const bool sent = write(ends[1], block.data(), block.size()) == static_cast<ssize_t>(block.size());
    _exit(sent ? 0 : 1);
  }
  Forked result;
  result.parent = draw_block();
  CHECK(read(ends[0], result.child.data(), result.child.size()) == static_cast<ssize_t>(result.child.size()));
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  close(ends[0]);
  close(ends[1]);
  return result;
}

// Returns true if the kernel can wipe memory on fork: since Linux 4.14, but not in some sandboxes.
bool kernel_can_wipe() {
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(page != MAP_FAILED);
  const bool can = madvise(page, bytes, MADV_WIPEONFORK) == 0;
  munmap(page, bytes);
  return can;
}

template <class Function>
void in_new_thread(Function function) {
  std::thread(function).join();
}

TEST_CASE("bits are read with the least significant byte first, and masked") {
  tests::ScriptedBitSource source{0x12, 0x34, 0x56, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 0x88};
  CHECK(source.bits(0) == 0);
  CHECK(source.bits(8) == 0x12);
  CHECK(source.bits(16) == 0x5634);
  CHECK(source.bits(9) == 0x1ff);
  CHECK(source.bits(64) == 0x8807060504030201);
  CHECK(source.remaining() == 0);
  CHECK_THROWS_AS(source.byte(), EntropyError);
}

TEST_CASE("a child process shares no bit with its parent") {
  (void)draw_block();  // fills the buffer before the fork
  const std::size_t before = generated;
  const Forked first = draw_after_fork();
  // The fork does not empty the parent's buffer, so the parent generates no new bytes.
  if (kernel_can_wipe()) CHECK(generated == before);
  const Forked second = draw_after_fork();
  const std::set<Block> distinct{first.parent, first.child, second.parent, second.child};
  CHECK(distinct.size() == 4);
  CHECK(distinct.count(Block{}) == 0);
}

TEST_CASE("a child of a thread other than the main thread shares no bit with its parent") {
  in_new_thread([] {
    (void)draw_block();
    const Forked blocks = draw_after_fork();
    CHECK(blocks.parent != blocks.child);
  });
}

TEST_CASE("if the kernel does not wipe memory on fork, nothing is buffered") {
  kernel_refuses_to_wipe = true;
  in_new_thread([] {
    const std::size_t before = generated;
    const std::size_t mixed_before = mixed_in;
    (void)draw_block();
    CHECK(generated - before == Block{}.size());
    // A child with its parent's process id is not recognised as a child. So each byte depends on fresh bytes of the
    // kernel.
    CHECK(mixed_in - mixed_before >= Block{}.size());
    const Forked blocks = draw_after_fork();
    CHECK(blocks.parent != blocks.child);
  });
  kernel_refuses_to_wipe = false;
}

TEST_CASE("a failing generator gives an error each time, and no bits") {
  in_new_thread([] {
    BitSource& source = system_bit_source();
    generator_fails = true;
    for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(source.byte(), EntropyError);
    generator_fails = false;
    Block block{};
    source.fill(block);
    CHECK(block != Block{});
    // Buffered bits may be used. The error comes when these bits run out.
    generator_fails = true;
    std::size_t left = 0;
    CHECK_THROWS_AS(
        [&] {
          for (; left < 4096; ++left) (void)source.byte();
        }(),
        EntropyError);
    CHECK_THROWS_AS(source.byte(), EntropyError);
    generator_fails = false;
  });
}

TEST_CASE("a thread that ends leaves no memory mapping behind") {
  in_new_thread([] { (void)draw_block(); });
  void* page = last_wiped_page;
  REQUIRE(page != nullptr);
  const bool unmapped = msync(page, 1, MS_ASYNC) == -1 && errno == ENOMEM;
  CHECK(unmapped);
}

// No block occurs twice, in any thread. Two blocks of 64 random bytes are equal with probability 2^-512. Under
// ThreadSanitizer this test finds data races.
TEST_CASE("threads have sources of their own") {
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kBlocks = 200;  // about three buffers each
  std::vector<std::vector<Block>> drawn(kThreads);
  std::vector<const BitSource*> sources(kThreads);
  std::atomic<std::size_t> running = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      sources[i] = &system_bit_source();
      ++running;
      while (running < kThreads) std::this_thread::yield();  // until the sources of all threads exist
      for (std::size_t block = 0; block < kBlocks; ++block) drawn[i].push_back(draw_block());
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(std::set<const BitSource*>(sources.begin(), sources.end()).size() == kThreads);
  std::set<Block> distinct;
  for (const auto& blocks : drawn) distinct.insert(blocks.begin(), blocks.end());
  CHECK(distinct.size() == kThreads * kBlocks);
}

// The bits are truly random. Hoeffding for n = 2^18 fair coins: Pr[|ones - n/2| >= 1680] <= 2·exp(-2·1680²/n) < 9e-10.
// The test has 8 bit positions, so the test fails by chance with probability below 1e-8. The test detects a bias of
// 0.7 % of all bits.
TEST_CASE("every bit position of the system source is fair") {
  constexpr int kBytes = 1 << 18;
  std::array<int, 8> ones{};
  for (int i = 0; i < kBytes; ++i) {
    const unsigned value = system_bit_source().byte();
    for (unsigned bit = 0; bit < 8; ++bit) ones[bit] += static_cast<int>(value >> bit & 1U);
  }
  for (const int count : ones) CHECK(std::abs(count - kBytes / 2) < 1680);
}

}  // namespace
}  // namespace hearsay
