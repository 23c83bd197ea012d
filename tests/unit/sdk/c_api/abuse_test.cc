// Tests that misused calls of the C interface return and raise no signal. Child processes call the functions again and
// again, with NULL, handles of other types, structs of other sizes, and text of random bytes.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "hearsay/hearsay.h"
#include "tests/support/tasks.h"
#include "tests/support/temporary_directory.h"

namespace {

// The arguments of one child's calls. Pointers to memory are valid or NULL. Handles may be anything.
class Arsenal {
 public:
  Arsenal(unsigned seed, const std::string& directory) : random_(seed) {
    const std::string document = hearsay::tests::small_task("b c3", "1").canonical_json();
    hearsay_task_parse(document.data(), document.size(), &task_, nullptr);
    const std::string file = directory + "/ledger.db";
    hearsay_ledger_options open{};
    open.size = sizeof open;
    open.file = file.data();
    open.file_size = file.size();
    hearsay_ledger_open(&open, &ledger_, nullptr);
    hearsay_limits limits{};
    limits.size = sizeof limits;
    limits.max_epsilon = "1";
    limits.max_epsilon_size = 1;
    hearsay_client_options options{};
    options.size = sizeof options;
    options.limits = &limits;
    options.task = task_;
    hearsay_client_create(&options, ledger_, &client_, nullptr);
    hearsay_task_describe(task_, &buffer_, nullptr);
    const std::string rules = R"({"version": 1, "attributes": [
        {"attribute": "a0", "column": "A", "kind": "texts", "texts": {"yes": ["1"], "no": ["0"]}},
        {"attribute": "a1", "column": "B", "kind": "texts", "other": "v0", "texts": {"v1": ["1"], "v2": ["2"]}}]})";
    hearsay_companion_parse(task_, rules.data(), rules.size(), &companion_, nullptr);
    text_.resize(1 + below(64));
    for (char& c : text_) c = static_cast<char>(below(3) == 0 ? below(256) : "{}[]\":,0"[below(8)]);
  }

  bool complete() const {
    return task_ != nullptr && ledger_ != nullptr && client_ != nullptr && buffer_ != nullptr && companion_ != nullptr;
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }

  // Returns NULL, a handle (mostly of another type), or a pointer that is no handle.
  template <class T>
  T* handle() {
    const std::uintptr_t none = below(2) == 0 ? below(100) : random_();
    void* const all[] = {nullptr, task_, ledger_, client_, buffer_, companion_, reinterpret_cast<void*>(none)};
    return static_cast<T*>(all[below(std::size(all))]);
  }

  template <class T>
  T* or_null(T* output) {
    return below(3) == 0 ? nullptr : output;
  }

  const char* bytes() { return or_null(text_.data()); }
  std::size_t size() { return below(2) * below(text_.size() + 1); }
  std::uint64_t number() { return below(2) == 0 ? below(3) : (std::uint64_t{random_()} << 32U) + random_(); }

  // Returns NULL, or a struct in longer storage with the right or a wrong size.
  template <class T>
  const T* sized(T made) {
    constexpr std::size_t kLonger = 64;
    auto& storage = structs_.emplace_back(sizeof made + kLonger, static_cast<unsigned char>(below(8) == 0 ? 1 : 0));
    const std::size_t cut = below(sizeof made) / sizeof(void*) * sizeof(void*);  // whole pointers
    const std::size_t sizes[] = {sizeof made, sizeof made, sizeof made, 0, cut, sizeof made + kLonger};
    made.size = sizes[below(std::size(sizes))];
    std::memcpy(storage.data(), &made, sizeof made);
    return or_null(reinterpret_cast<T*>(storage.data()));
  }

  const hearsay_limits* limits() { return sized(hearsay_limits{0, bytes(), size(), bytes(), size()}); }

 private:
  std::mt19937 random_;
  hearsay_task* task_ = nullptr;
  hearsay_ledger* ledger_ = nullptr;
  hearsay_client* client_ = nullptr;
  hearsay_buffer* buffer_ = nullptr;
  hearsay_companion* companion_ = nullptr;
  std::string text_;
  std::vector<std::vector<unsigned char>> structs_;
};

using Call = std::function<void(Arsenal&, hearsay_error*)>;

const Call kCalls[] = {
    [](Arsenal& a, hearsay_error* e) {
      hearsay_task* task = nullptr;
      hearsay_task_parse(a.bytes(), a.size(), a.or_null(&task), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_buffer* json = nullptr;
      hearsay_task_describe(a.handle<hearsay_task>(), a.or_null(&json), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_companion* companion = nullptr;
      hearsay_companion_parse(a.handle<hearsay_task>(), a.bytes(), a.size(), a.or_null(&companion), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_buffer* record = nullptr;
      hearsay_companion_read(a.handle<hearsay_companion>(), a.bytes(), a.size(), a.or_null(&record), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_task* tasks[2] = {};
      std::size_t count = 0;
      std::uint64_t number = 0;
      hearsay_task_list_read(a.bytes(), a.size(), a.bytes(), a.size(), a.number(), a.number(), a.limits(),
                             a.or_null(tasks), a.below(3), a.or_null(&count), a.or_null(&number), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_buffer* report = nullptr;
      hearsay_randomize_without_ledger(a.handle<hearsay_task>(), a.bytes(), a.size(), a.number(), a.or_null(&report),
                                       e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_ledger* ledger = nullptr;
      hearsay_rollback_counter counter{};
      hearsay_ledger_options options{};
      options.file = a.bytes();
      options.file_size = a.size();
      options.period_seconds = a.number();
      options.budget = a.bytes();
      options.budget_size = a.size();
      options.max_reports = a.number();
      options.max_bytes = a.number();
      options.max_age_seconds = a.number();
      options.counter = a.or_null(&counter);
      hearsay_ledger_open(a.sized(options), a.or_null(&ledger), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_buffer* json = nullptr;
      hearsay_ledger_log(a.handle<hearsay_ledger>(), a.number(), a.or_null(&json), e);
    },
    [](Arsenal& a, hearsay_error* e) { hearsay_ledger_opt_out(a.handle<hearsay_ledger>(), e); },
    [](Arsenal& a, hearsay_error* e) { hearsay_ledger_opt_in(a.handle<hearsay_ledger>(), e); },
    [](Arsenal& a, hearsay_error* e) {
      std::int32_t out = 0;
      hearsay_ledger_opted_out(a.handle<hearsay_ledger>(), a.or_null(&out), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_server server{};
      server.host = a.bytes();
      server.host_size = a.size();
      server.port = static_cast<std::uint32_t>(a.number());
      server.timeout_ms = 1;
      server.ca_file = a.bytes();
      server.ca_file_size = a.size();
      server.upload_token = a.bytes();
      server.upload_token_size = a.size();
      hearsay_client_options options{};
      options.server = a.sized(server);
      options.limits = a.limits();
      options.task = a.handle<hearsay_task>();
      options.task_id = a.bytes();
      options.task_id_size = a.size();
      hearsay_client* client = nullptr;
      hearsay_client_create(a.sized(options), a.handle<hearsay_ledger>(), a.or_null(&client), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      std::int32_t already = 0;
      hearsay_client_submit_json(a.handle<hearsay_client>(), a.bytes(), a.size(), a.or_null(&already), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_client_flush(a.handle<hearsay_client>(), 1,
                           const_cast<hearsay_flush_summary*>(a.sized(hearsay_flush_summary{})), e);
    },
    [](Arsenal& a, hearsay_error* e) { hearsay_client_cancel(a.handle<hearsay_client>(), e); },
    [](Arsenal& a, hearsay_error* e) { hearsay_client_opt_out(a.handle<hearsay_client>(), e); },
    [](Arsenal& a, hearsay_error* e) {
      std::int64_t number = 0;
      hearsay_buffer* report = nullptr;
      hearsay_client_next_report(a.handle<hearsay_client>(), a.or_null(&number), a.or_null(&report), e);
    },
    [](Arsenal& a, hearsay_error* e) {
      hearsay_client_settle_report(a.handle<hearsay_client>(), static_cast<std::int64_t>(a.number()),
                                   static_cast<std::int32_t>(a.below(4)) - 1, a.bytes(), a.size(), a.number(), e);
    },
    // Frees live handles only sometimes, so that later calls get live handles, too.
    [](Arsenal& a, hearsay_error*) {
      if (a.below(20) == 0) hearsay_task_free(a.handle<hearsay_task>());
      if (a.below(20) == 0) hearsay_ledger_free(a.handle<hearsay_ledger>());
      if (a.below(20) == 0) hearsay_client_free(a.handle<hearsay_client>());
      if (a.below(20) == 0) hearsay_buffer_free(a.handle<hearsay_buffer>());
    },
    [](Arsenal& a, hearsay_error*) {
      hearsay_buffer_data(a.handle<hearsay_buffer>());
      hearsay_buffer_size(a.handle<hearsay_buffer>());
    },
};

// Runs in a child process. The exit status is 0 if all calls returned.
[[noreturn]] void run_rounds(unsigned seed, const std::string& directory) {
  Arsenal arsenal(seed, directory);
  if (!arsenal.complete()) _exit(3);
  for (int round = 0; round < 40; ++round) {
    for (const Call& call : kCalls) {
      hearsay_error error{};
      error.size = sizeof error;
      call(arsenal, arsenal.below(4) == 0 ? nullptr : &error);
      if (std::memchr(error.message, 0, sizeof error.message) == nullptr) _exit(4);
    }
  }
  _exit(0);
}

TEST_CASE("no call with NULL, foreign handles or random bytes raises a signal") {
  for (unsigned seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    const hearsay::tests::TemporaryDirectory directory;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) run_rounds(seed, directory.path());
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}

}  // namespace
