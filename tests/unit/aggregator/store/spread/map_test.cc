#include "aggregator/store/spread/map.h"

#include "tests/unit/aggregator/store/spread/spread_fixture.h"

namespace hearsay::store::spread::tests {
namespace {

const MapEntry kFirst{1, 0, {"s0"}};
const MapEntry kSecond{2, 1000, {"s0", "s1"}};

MapRow row_of(std::vector<MapEntry> entries, std::optional<MapEntry> proposed = {}, UnixSeconds opened = 0) {
  return {std::move(entries), std::move(proposed), opened};
}

TEST_CASE("a window belongs to the last entry of the map that does not begin after the window") {
  const std::vector<MapEntry> entries{kFirst, kSecond};
  CHECK(entry_of(entries, 0) == kFirst);
  CHECK(entry_of(entries, 999) == kFirst);
  CHECK(entry_of(entries, 1000) == kSecond);
  CHECK(entry_of(entries, ~UnixSeconds{0}) == kSecond);
}

TEST_CASE("the database of a report follows from the first 8 bytes of its id") {
  const MapEntry three{1, 0, {"a", "b", "c"}};
  ReportId id{};
  CHECK(server_of(three, id) == "a");
  id.bytes.fill(0xff);
  CHECK(server_of(three, id) == "c");
  // 2^64 / 3 is 0x5555555555555555 and a third, so this id is the last of the first third, and the next id is in the
  // second third.
  id.bytes.fill(0x55);
  CHECK(server_of(three, id) == "a");
  id.bytes[7] = 0x56;
  CHECK(server_of(three, id) == "b");
}

TEST_CASE("rows of the map are read as written, and other bytes are damage") {
  for (const MapRow& row :
       {MapRow(), row_of({kFirst}, {}, 50), row_of({kFirst, kSecond}, MapEntry{3, 2000, {"s1"}}, 2)}) {
    const auto read = decode(encode(row, "s0"), "s0");
    REQUIRE(read);
    CHECK(*read == row);
  }
  MapRow row = row_of({kFirst}, {}, 50);
  row.max_ahead = 900;
  CHECK(decode(encode(row, "s0"), "s0").value() == row);
  const auto fails = [](const std::string& text) {
    return decode(text, "s0").error().code == ErrorCode::kStoreCorrupt;
  };
  CHECK(fails(""));
  CHECK(fails(encode(row_of({kFirst}), "s1")));                       // this is the row of another database
  CHECK(fails(encode(row_of({kSecond}), "s0")));                      // the row begins with the second version
  CHECK(fails(encode(row_of({kFirst, {3, 1000, {"s1"}}}), "s0")));    // the row leaves a version out
  CHECK(fails(encode(row_of({kFirst, {2, 0, {"s1"}}}), "s0")));       // the new version does not begin later
  CHECK(fails(encode(row_of({kFirst}, MapEntry{2, 10, {}}), "s0")));  // the proposal has no server
}

TEST_CASE("a row of the map opens windows, but not beyond a proposal or the clock") {
  MapRow row = row_of({kFirst});
  open_until(row, 500, 800);
  CHECK(row.opened_before == 500);
  open_until(row, 900, 800);
  CHECK(row.opened_before == 800);
  open_until(row, 100, 800);
  CHECK(row.opened_before == 800);
  REQUIRE(propose(row, {kFirst}, kSecond));
  open_until(row, 5000, 9000);
  CHECK(row.opened_before == 1000);
  REQUIRE(decide(row, kSecond));
  open_until(row, 5000, 9000);
  CHECK(row.opened_before == 5000);
}

TEST_CASE("a row of the map accepts a change if no opened window contradicts it") {
  MapRow row = row_of({kFirst}, {}, 1000);
  REQUIRE(propose(row, {kFirst}, kSecond));
  REQUIRE(propose(row, {kFirst}, kSecond));
  CHECK(has_accepted(row, kSecond));
  CHECK_FALSE(propose(row, {kFirst}, {2, 3000, {"s1"}}));
  CHECK_FALSE(decide(row, {2, 3000, {"s1"}}));
  REQUIRE(decide(row, kSecond));
  REQUIRE(decide(row, kSecond));
  REQUIRE(propose(row, {kFirst}, kSecond));  // here the change is decided already
  CHECK(row == row_of({kFirst, kSecond}, {}, 1000));

  MapRow opened = row_of({kFirst}, {}, 1001);
  const auto late = propose(opened, {kFirst}, kSecond);
  REQUIRE_FALSE(late);
  CHECK(late.error().code == ErrorCode::kTaskConflict);
  CHECK(refuses_for_good(opened, kSecond));
  CHECK_FALSE(refuses_for_good(row, kSecond));
  MapRow fresh;
  REQUIRE(propose(fresh, {kFirst}, kSecond));
  CHECK(fresh == row_of({kFirst}, kSecond));
  withdraw(fresh, {2, 3000, {"s1"}});
  CHECK(fresh.proposed == kSecond);
  withdraw(fresh, kSecond);
  CHECK_FALSE(fresh.proposed);
  CHECK_FALSE(propose(fresh, {kFirst}, {2, 0, {"s1"}}));
  CHECK_FALSE(propose(fresh, {kFirst}, {3, 2000, {"s1"}}));
  CHECK_FALSE(propose(fresh, {kFirst}, {2, 2000, {"s1", "s1"}}));
}

ErrorCode open_code(const Databases& databases, std::size_t count, std::string& message) {
  const auto store = spread::open(databases.members(count), databases.options);
  REQUIRE_FALSE(store);
  message = store.error().message;
  return store.error().code;
}

TEST_CASE("if the daemon's configuration contradicts the map, the daemon does not start") {
  std::string message;
  Databases databases(3);
  CHECK(open_code(databases, 3, message) == ErrorCode::kStoreFailed);
  CHECK(message.find("hearsay store map") != std::string::npos);
  databases.add_map(2);
  CHECK(open_code(databases, 1, message) == ErrorCode::kInvalidArgument);
  CHECK(message.find("s1") != std::string::npos);
  CHECK(open_code(databases, 3, message) == ErrorCode::kInvalidArgument);
  CHECK(message.find("database 2") != std::string::npos);
  auto twice = databases.members(2);
  twice.push_back(twice.front());
  CHECK(spread::open(twice, databases.options).error().code == ErrorCode::kInvalidArgument);
  databases.keepers[1]->down = true;
  CHECK(open_code(databases, 2, message) == ErrorCode::kStoreFailed);
  CHECK(message == "database 1: planted");
}

TEST_CASE("databases whose maps contradict each other are damage") {
  Databases databases(2);
  databases.add_map(2);
  const auto plant = [](MapRow& row, UnixSeconds) -> Result<void> {
    row.entries.front().servers = {"s1", "s0"};
    return {};
  };
  REQUIRE(databases.keepers[1]->update(plant));
  std::string message;
  CHECK(open_code(databases, 2, message) == ErrorCode::kStoreCorrupt);
}

TEST_CASE("a change of the map begins after all windows that any database has opened") {
  Databases databases(2);
  databases.add_map(1);
  const Options& options = databases.options;
  const MapState before = *read_map(databases.members(), options);
  CHECK(before.earliest == databases.clock.now() + options.max_ahead);
  const auto early = add_entry(databases.members(), {"s0", "s1"}, before.earliest - 1, options);
  REQUIRE_FALSE(early);
  CHECK(early.error().code == ErrorCode::kInvalidArgument);
  const UnixSeconds milliseconds = before.earliest * 1000;
  CHECK(add_entry(databases.members(), {"s0", "s1"}, milliseconds, options).error().code ==
        ErrorCode::kInvalidArgument);
  const MapState after = databases.add_map(2, before.earliest);
  REQUIRE(after.entries.size() == 2);
  CHECK(after.entries[1] == MapEntry{2, before.earliest, {"s0", "s1"}});
  for (const auto& keeper : databases.keepers) CHECK(keeper->row().entries == after.entries);
  CHECK(databases.add_map(2).entries.size() == 2);
}

TEST_CASE("a change of the map begins after all windows that a daemon with a larger allowance may have opened") {
  Databases databases(2);
  databases.add_map(2);
  const MapRow older = databases.keepers[1]->row();
  const Options small;
  databases.options.max_ahead = 50 * small.max_ahead;
  const auto store = databases.open();
  const Task task = make_task();
  REQUIRE(store->add_task(task));
  const UnixSeconds now = databases.clock.now();
  std::vector<Report> reports;
  for (std::uint64_t i = 0; i < 20; ++i) reports.push_back(make_report(task, i, 7));
  append_new(*store, task, reports);
  CHECK(databases.keepers[1]->row().opened_before > now + small.max_ahead);
  // The restored row lacks the windows and the allowance.
  REQUIRE(databases.keepers[1]->update([&](MapRow& row, UnixSeconds) -> Result<void> {
    row = older;
    return {};
  }));
  CHECK(read_map(databases.members(), small)->earliest == now + databases.options.max_ahead);
  CHECK_FALSE(add_entry(databases.members(), {"s0"}, now + databases.options.max_ahead - 1, small));
  CHECK(add_entry(databases.members(), {"s0"}, now + databases.options.max_ahead, small));
}

TEST_CASE("a database that was restored from an older copy gets the map's later versions back") {
  Databases databases(3);
  databases.add_map(2);
  const MapRow older = databases.keepers[1]->row();
  const MapState state = databases.add_map(3);
  databases.keepers[1]->clear();
  databases.clock.advance(std::chrono::hours(5));
  REQUIRE(databases.keepers[1]->update([&](MapRow& row, UnixSeconds now) -> Result<void> {
    row = older;
    open_until(row, now, now);  // this window is after the start of the lost version
    return {};
  }));
  CHECK(databases.add_map(3).entries == state.entries);
  CHECK(databases.keepers[1]->row().entries == state.entries);
  MapRow other = row_of({{1, 0, {"s9"}}});
  CHECK_FALSE(catch_up(other, state.entries));
}

TEST_CASE("a database that joins a map must be empty, except the only database of a first map") {
  Databases databases(2);
  const Task task = make_task();
  REQUIRE(databases.stores[0]->add_task(task));
  append_new(*databases.stores[0], task, make_reports(task, 0, 10));
  CHECK(add_entry(databases.members(), {"s0", "s1"}, {}, databases.options).error().code ==
        ErrorCode::kInvalidArgument);
  CHECK(add_entry(databases.members(), {"s1", "s0"}, {}, databases.options).error().code ==
        ErrorCode::kInvalidArgument);
  databases.add_map(1);
  databases.add_map(2);
  CHECK(verified_reports(*databases.open()) == 10);
}

TEST_CASE("if a change of the map stops at any step, repeating the call completes the change") {
  Databases databases(3);
  databases.add_map(2);
  std::vector<MapEntry> expected = databases.keepers[0]->row().entries;
  // A change makes up to seven updates of a database's row: two that read, one that settles the last entry, one that
  // checks that a new database is empty, one that proposes, one that decides, and one that reads.
  for (const std::size_t failing : {0U, 1U, 2U}) {
    for (int step = 1; step <= 7; ++step) {
      CAPTURE(failing);
      CAPTURE(step);
      const std::size_t servers = expected.back().servers.size() == 2 ? 3 : 2;
      const UnixSeconds from = read_map(databases.members(), databases.options)->earliest + 1000;
      expected.push_back({expected.size() + 1, from, Databases::servers(servers)});
      databases.keepers[failing]->fail_in = step;
      const auto broken = add_entry(databases.members(), Databases::servers(servers), from, databases.options);
      if (!broken) CHECK(broken.error().code == ErrorCode::kStoreFailed);
      databases.keepers[failing]->fail_in = 0;
      const MapState state = databases.add_map(servers, from);
      CHECK(state.entries == expected);
      CHECK_FALSE(state.proposed);
      for (const auto& keeper : databases.keepers) {
        if (keeper->row().entries != expected) FAIL("a row lacks the entry");
      }
    }
  }
}

TEST_CASE("a change of the map that one database refuses for good is taken back in all databases") {
  Databases databases(2);
  databases.add_map(2);
  const UnixSeconds from = read_map(databases.members(), databases.options)->earliest;
  // The first database has the proposal, and the caller has stopped. Then the second database opens windows after the
  // start of the change.
  const MapEntry entry{2, from, {"s0"}};
  REQUIRE(databases.keepers[0]->update(
      [&](MapRow& row, UnixSeconds) { return propose(row, std::vector(row.entries), entry); }));
  REQUIRE(databases.keepers[1]->update([&](MapRow& row, UnixSeconds) -> Result<void> {
    open_until(row, from + 1, from + 1);
    return {};
  }));
  const auto changed = add_entry(databases.members(), {"s0"}, from, databases.options);
  REQUIRE_FALSE(changed);
  CHECK(changed.error().code == ErrorCode::kTaskConflict);
  CHECK_FALSE(databases.keepers[0]->row().proposed);
  CHECK(databases.add_map(1).entries.size() == 2);
}

}  // namespace
}  // namespace hearsay::store::spread::tests
