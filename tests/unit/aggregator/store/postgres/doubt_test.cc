#include <signal.h>

#include <atomic>
#include <thread>

#include "tests/support/patience.h"
#include "tests/support/socket_relay.h"
#include "tests/unit/aggregator/store/postgres/postgres_fixture.h"

namespace hearsay::store::postgres::tests {
namespace {

using hearsay::tests::SocketRelay;
using hearsay::tests::TemporaryDirectory;
using Action = SocketRelay::Action;
using enum AppendOutcome;

constexpr const char* kEndConnections =
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()";

// A database behind a relay, which does one action at a message that the test chooses.
class RelayedDatabase {
 public:
  RelayedDatabase()
      : relay_(directory_ / ".s.PGSQL.5432", PostgresServer::shared().socket(),
               [this](std::string_view bytes) { return decide(bytes); }) {}

  Options options(const std::string& instance = "first") const {
    Options options = database_.options(instance);
    options.uri = "postgresql://owner@/" + database_.name() + "?host=" + directory_.path().string();
    return options;
  }
  TestDatabase& operator*() { return database_; }
  TestDatabase* operator->() { return &database_; }

  // Skips `messages` messages. Does `once` at the next message.
  void arm(int messages, std::function<Action()> once) {
    once_ = std::move(once);
    left_ = messages;
  }
  bool disarm() { return left_.exchange(-1) < 0; }
  // Loses the answer to the next commit. After that, every connection ends at its first message, until restore().
  void lose_commit(Action how = Action::kLose) {
    how_ = how;
    lose_commit_ = true;
  }
  void restore() {
    lose_commit_ = false;
    cut_off_ = false;
  }
  // Cuts every connection that commits reports, before the server sees the commit.
  void cut_each_batch(bool cuts) { cuts_batches_ = cuts; }
  int batches_cut() const { return batches_cut_; }

 private:
  Action decide(std::string_view bytes) {
    if (cut_off_) return Action::kCut;
    if (cuts_batches_ && bytes.find(std::string_view("\0insert_deltas\0", 15)) != std::string_view::npos) {
      ++batches_cut_;
      return Action::kCut;
    }
    // The name of the prepared statement stands between zero bytes.
    if (lose_commit_ && bytes.find(std::string_view("\0commit\0", 8)) != std::string_view::npos) {
      cut_off_ = true;
      return how_;
    }
    return left_.fetch_sub(1) == 0 ? once_() : Action::kPass;
  }

  TestDatabase database_;
  TemporaryDirectory directory_;
  std::function<Action()> once_;
  std::atomic<int> left_ = -1;
  std::atomic<Action> how_ = Action::kLose;
  std::atomic<bool> lose_commit_ = false;
  std::atomic<bool> cuts_batches_ = false;
  std::atomic<int> batches_cut_ = 0;
  std::atomic<bool> cut_off_ = false;
  SocketRelay relay_;
};

// Breaks an append at each of its messages in turn. Returns the number of messages.
int break_everywhere(RelayedDatabase& database, const std::function<Action()>& once) {
  const Task task = make_task();
  const auto store = database->open(database.options());
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1'000'000)});  // now statements are prepared and the window is open
  std::vector<Report> all{make_report(task, 1'000'000)};
  int messages = 0;
  for (std::uint64_t number = 0;; number += 3) {
    CAPTURE(messages);
    const std::vector<Report> batch = make_reports(task, number, number + 3);
    database.arm(messages, once);
    const auto outcomes = append(*store, task, batch);
    const bool fired = database.disarm();
    if (!outcomes) FAIL(outcomes.error().message);
    CHECK(*outcomes == std::vector<AppendOutcome>(3, kAccepted));
    all.insert(all.end(), batch.begin(), batch.end());
    CHECK(whole_tally(*store, task) == tally_of(task, all));
    CHECK(store->healthy());
    if (!fired) break;
    ++messages;
  }
  CHECK(verified_reports(*store) == all.size());
  return messages;
}

TEST_CASE("an append is counted once, whichever of its messages breaks the connection") {
  // An append has two round trips, each of at least one message.
  RelayedDatabase cut;
  CHECK(break_everywhere(cut, [] { return Action::kCut; }) >= 2);
  RelayedDatabase lost;
  CHECK(break_everywhere(lost, [] { return Action::kLose; }) >= 2);
  RelayedDatabase ended;
  CHECK(break_everywhere(ended, [&] {
          ended->run(kEndConnections);
          return Action::kPass;
        }) >= 2);
}

TEST_CASE(
    "if the answer to a commit is lost and no connection comes back, the commit is not acknowledged, and is counted "
    "once") {
  RelayedDatabase database;
  const Task task = make_task();
  const auto store = database->open(database.options());
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 0)});
  database.lose_commit();
  CHECK(append(*store, task, {make_report(task, 1)}).error().code == ErrorCode::kStoreFailed);
  CHECK_FALSE(store->healthy());
  CHECK(database->run("SELECT count(*) FROM hearsay.ids") == "2");
  database.restore();
  CHECK(append(*store, task, {make_report(task, 1), make_report(task, 2)}).value() ==
        std::vector{kReplayed, kAccepted});
  CHECK(store->healthy());
  CHECK(whole_tally(*store, task).reports() == 3);
  CHECK(verified_reports(*store) == 3);
}

TEST_CASE("the look-up of a doubtful commit waits until the commit has ended") {
  RelayedDatabase database;
  const Task task = make_task();
  const auto store = database->open(database.options());
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 0)});
  // The next commit waits at its end for a lock that the test holds.
  database->run(
      "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END $$; "
      "CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON hearsay.deltas DEFERRABLE INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION wait()");
  auto held = database->session("SELECT pg_advisory_lock(7)");
  database.lose_commit(Action::kPart);
  Result<std::vector<AppendOutcome>> outcomes = Error{ErrorCode::kInternal, ""};
  std::thread appending([&] { outcomes = append(*store, task, {make_report(task, 1)}); });
  database->await_waiting(1);  // the commit waits
  appending.join();
  CHECK_FALSE(outcomes);
  database.restore();
  std::thread again([&] { outcomes = append(*store, task, {make_report(task, 1), make_report(task, 2)}); });
  database->await_waiting(2);  // the look-up waits, too
  held.reset();
  again.join();
  REQUIRE(outcomes);
  CHECK(*outcomes == std::vector{kReplayed, kAccepted});
  CHECK(store->healthy());
  CHECK(verified_reports(*store) == 3);
}

TEST_CASE("an append gives up after six attempts that lose their connection") {
  RelayedDatabase database;
  const Task task = make_task();
  const auto store = database->open(database.options());
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 0)});
  database.cut_each_batch(true);
  CHECK(append(*store, task, {make_report(task, 1)}).error().code == ErrorCode::kStoreFailed);
  CHECK(database.batches_cut() == 6);
  CHECK_FALSE(store->healthy());
  database.cut_each_batch(false);
  append_new(*store, task, {make_report(task, 1)});
  CHECK(verified_reports(*store) == 2);
}

TEST_CASE("an append that looks up a doubtful commit does not wait longer than a statement may take") {
  using Steady = std::chrono::steady_clock;
  RelayedDatabase database;
  const Task task = make_task();
  Options options = database.options();
  options.statement_timeout = std::chrono::seconds(1);
  const auto store = database->open(options);
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 0)});
  database.lose_commit();
  CHECK_FALSE(append(*store, task, {make_report(task, 1)}));
  // The session holds the writer's row, like a transaction that has not ended.
  auto holds = database->session("BEGIN; SELECT FROM hearsay.writers FOR UPDATE");
  database.restore();
  const auto begun = Steady::now();
  const auto refused = append(*store, task, {make_report(task, 1)});
  CHECK(Steady::now() - begun < 10 * options.statement_timeout);  // a busy machine gets ten times as long
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("SQLSTATE 57014") != std::string::npos);
  CHECK_FALSE(store->healthy());
  holds.reset();
  CHECK(append(*store, task, {make_report(task, 1)}).value() == std::vector{kReplayed});
  CHECK(verified_reports(*store) == 2);
}

TEST_CASE("a daemon that gets no reports keeps its row of writers") {
  TestDatabase database;
  const Task task = make_task();
  Options options = database.options("idle");
  options.max_unseen = std::chrono::seconds(0);
  const auto idle = database.open(options);
  REQUIRE(idle->add_task(task));
  append_new(*idle, task, {make_report(task, 1)});
  const auto other = database.open("other");
  database.run("UPDATE hearsay.writers SET seen = now() - interval '2 days' WHERE instance = 'idle'");
  REQUIRE(idle->check_directory());
  forget_expired(*other, kStart);
  CHECK(database.run("SELECT count(*) FROM hearsay.writers WHERE instance = 'idle'") == "1");
  append_new(*idle, task, {make_report(task, 2)});
  // This daemon seems not to have renewed its row for two days, so other daemons shut it out.
  database.run("UPDATE hearsay.writers SET seen = now() - interval '2 days' WHERE instance = 'idle'");
  forget_expired(*other, kStart);
  CHECK_FALSE(append(*idle, task, {make_report(task, 3)}));
  CHECK(idle->failure()->code == ErrorCode::kInUse);
  CHECK(verified_reports(*other) == 2);
}

TEST_CASE("a writer whose name another process has taken is shut out for good") {
  TestDatabase database;
  const Task task = make_task();
  const auto paused = database.open("same");
  REQUIRE(paused->add_task(task));
  append_new(*paused, task, {make_report(task, 1)});
  const auto other = database.open("same");
  for (int time = 0; time < 2; ++time) {
    const auto refused = append(*paused, task, {make_report(task, 2)});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kStoreFailed);
    CHECK(refused.error().message.find("another process") != std::string::npos);
    CHECK_FALSE(paused->healthy());
    CHECK(paused->failure()->code == ErrorCode::kInUse);
    CHECK(paused->check_directory().error().code == ErrorCode::kInUse);
  }
  append_new(*other, task, {make_report(task, 2)});
  forget_expired(*other, kStart);  // the windows of the first store then have no writer
  CHECK(other->counts(task).reports == 2);
  CHECK(database.run("SELECT writer FROM hearsay.windows ORDER BY writer").starts_with("0\n"));
  CHECK(verified_reports(*other) == 2);
  CHECK(other->statistics().commits == 2);
}

TEST_CASE("a commit that a stop does not wait for is not acknowledged, and is counted once") {
  using Steady = std::chrono::steady_clock;
  TestDatabase database;
  const Task task = make_task();
  std::stop_source stopping;
  Options options = database.options();
  options.stopping = stopping.get_token();
  const auto store = database.open(options);
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 0)});
  database.run(
      "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$; "
      "CREATE CONSTRAINT TRIGGER holding AFTER INSERT ON hearsay.deltas DEFERRABLE INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION hold()");
  auto holds = database.session("SELECT pg_advisory_lock(1)");  // every commit waits for the session
  stopping.request_stop();
  CHECK_FALSE(append(*store, task, {make_report(task, 1)}));
  const auto begun = Steady::now();
  CHECK_FALSE(append(*store, task, {make_report(task, 2)}));
  CHECK(Steady::now() - begun < std::chrono::seconds(2));  // a look-up of the first commit would take 3 s
  holds.reset();
  const auto next = database.open("second");
  CHECK(append(*next, task, {make_report(task, 1), make_report(task, 2)}).value() == std::vector{kReplayed, kAccepted});
  CHECK(whole_tally(*next, task).reports() == 3);
  CHECK(verified_reports(*next) == 3);
}

TEST_CASE("the store writes nothing more to a server that has lost acknowledged commits, and seals nothing there") {
  for (const bool reconnected : {false, true}) {
    TestDatabase database;
    const Task task = aging_task(600);
    const auto store = database.open();
    REQUIRE(store->add_task(task));
    append_new(*store, task, {make_report(task, 1)});
    append_new(*store, task, {make_report(task, 2)});
    database.run("UPDATE hearsay.writers SET commit = commit - 1 WHERE number <> 0");
    if (reconnected) database.run(kEndConnections);
    const auto refused = append(*store, task, {make_report(task, 3)});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("lost acknowledged commits") != std::string::npos);
    database.run("UPDATE hearsay.writers SET commit = commit + 1 WHERE number <> 0");
    CHECK(append(*store, task, {make_report(task, 3)}).error().code == ErrorCode::kStoreFailed);
    CHECK_FALSE(store->healthy());
    CHECK(store->failure()->code == ErrorCode::kStoreCorrupt);
    const Expiry done = store->expire(kStart + kPrecision + 600 + 2 * 86'400);
    CHECK(done.forgotten == 0);
    REQUIRE(done.failure);
    CHECK(done.failure->code == ErrorCode::kStoreCorrupt);
    CHECK(store->sealed(task)->before == 0);
    CHECK(verified_reports(*store) == 2);
    CHECK(whole_tally(*store, task).reports() == 2);
  }
}

TEST_CASE("while a database is down appends fail, and later they succeed") {
  PostgresServer server;
  TestDatabase database(server);
  const Task task = make_task();
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1)});
  server.stop(SIGQUIT);
  CHECK(append(*store, task, {make_report(task, 2)}).error().code == ErrorCode::kStoreFailed);
  CHECK_FALSE(store->healthy());
  CHECK(store->failure()->code == ErrorCode::kStoreFailed);
  CHECK_FALSE(store->tally(task, {}));
  CHECK_FALSE(store->read_tallies(task)->next());
  CHECK_FALSE(store->tasks());
  server.start();
  CHECK(store->check_directory());
  CHECK(store->healthy());
  CHECK_FALSE(store->failure());
  append_new(*store, task, {make_report(task, 2)});
  CHECK(verified_reports(*store) == 2);
}

TEST_CASE("an append that the server refuses makes the store unhealthy, and leaves no transaction open") {
  TestDatabase database;
  const Task task = make_task();
  const Task closed = make_task("closed");
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  REQUIRE(store->add_task(closed));
  REQUIRE(store->close_task(closed.id(), kStart));
  const std::string open =
      "SELECT count(*) FROM pg_stat_activity "
      "WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
  CHECK(*append(*store, closed, {make_report(closed, 1)}) == std::vector{kTaskClosed});
  CHECK(database.run(open) == "0");
  database.run(
      "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN RAISE 'the disk is full' USING ERRCODE = '53100'; END $$");
  database.run(
      "CREATE TRIGGER disk_is_full BEFORE UPDATE ON hearsay.writers FOR EACH ROW EXECUTE FUNCTION full_disk()");
  CHECK(append(*store, task, {make_report(task, 1)}).error().code == ErrorCode::kStoreFailed);
  CHECK(database.run(open) == "0");
  REQUIRE(store->failure());
  CHECK(store->failure()->message.find("53100") != std::string::npos);
  CHECK_FALSE(store->check_directory());
  CHECK_FALSE(store->healthy());
  database.run("DROP TRIGGER disk_is_full ON hearsay.writers");
  CHECK(store->check_directory());
  CHECK(store->healthy());
  append_new(*store, task, {make_report(task, 1)});
  CHECK(verified_reports(*store) == 1);
}

TEST_CASE("a commit that no synchronous standby confirms is not acknowledged, and neither is a copy of its reports") {
  PostgresServer server;
  TestDatabase database(server);
  const Task task = make_task();
  const auto store = database.open();
  REQUIRE(store->add_task(task));
  append_new(*store, task, {make_report(task, 1)});
  const auto reload = [&](const std::string& names) {
    server.run("postgres", "ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
    server.run("postgres", "SELECT pg_reload_conf()");
  };
  // An operator may cancel the waits for the standby. Then the commits succeed with a warning.
  reload("nobody");
  const std::string waits = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  std::atomic<bool> done = false;
  std::thread operator_thread([&] {
    while (!done) server.run("postgres", waits);
  });
  // The server applies the setting after a while.
  std::uint64_t number = 1;
  Result<std::vector<AppendOutcome>> outcomes = std::vector<AppendOutcome>();
  while (outcomes) outcomes = append(*store, task, {make_report(task, ++number)});
  CHECK_FALSE(append(*store, task, {make_report(task, number)}));
  CHECK(database.run("SELECT count(*) FROM hearsay.ids") == std::to_string(number));
  done = true;
  operator_thread.join();
  reload("");
  Result<std::vector<AppendOutcome>> copy = Error{ErrorCode::kInternal, ""};
  while (!copy) copy = append(*store, task, {make_report(task, number)});
  CHECK(*copy == std::vector{kReplayed});
  CHECK(verified_reports(*store) == number);
}

}  // namespace
}  // namespace hearsay::store::postgres::tests
