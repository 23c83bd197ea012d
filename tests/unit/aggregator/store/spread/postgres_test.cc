// The spread store over two PostgreSQL databases.
#include "aggregator/store/spread/change.h"
#include "aggregator/store/spread/postgres_member.h"
#include "tests/support/postgres_server.h"
#include "tests/unit/aggregator/store/spread/spread_fixture.h"

namespace hearsay::store::spread::tests {
namespace {

using hearsay::tests::PostgresServer;

// Two databases on one server: to the store they are as independent as two servers.
struct Postgres {
  Postgres() {
    for (int i = 0; i < 2; ++i) {
      uris.push_back(PostgresServer::shared().uri(PostgresServer::shared().create_database()));
      REQUIRE(postgres::migrate(options(i, "first")));
    }
  }
  postgres::Options options(std::size_t i, const std::string& instance) const {
    return {.uri = uris[i], .instance = instance, .allow_lossy_server = true};
  }
  std::vector<Member> members(const std::string& instance) const {
    std::vector<Member> all;
    for (std::size_t i = 0; i < uris.size(); ++i) {
      auto member = open_member(options(i, instance), *clock);
      if (!member) FAIL(member.error().message);
      all.push_back(*std::move(member));
    }
    return all;
  }
  std::unique_ptr<Store> open(const std::string& instance) const {
    auto store = spread::open(members(instance), {});
    if (!store) FAIL(store.error().message);
    return *std::move(store);
  }

  std::vector<std::string> uris;
  std::unique_ptr<Clock> clock = make_system_clock();
};

TEST_CASE_FIXTURE(Postgres, "two daemons spread reports over two PostgreSQL databases") {
  {
    const auto administrator = members("administrator");
    const std::vector<std::string> servers{administrator[0].keeper->server(), administrator[1].keeper->server()};
    CHECK(servers[0] != servers[1]);
    const auto state = add_entry(administrator, servers, {}, {});
    if (!state) FAIL(state.error().message);
    CHECK(state->entries == std::vector<MapEntry>{{1, 0, servers}});
  }
  const auto first = open("first");
  const auto second = open("second");
  const Task task = make_task();
  REQUIRE(first->add_task(task));
  const std::vector<Report> reports = make_reports(task, 0, 200, 3);
  append_new(*first, task, reports);
  CHECK(append(*second, task, reports).value() == std::vector(reports.size(), AppendOutcome::kReplayed));
  CHECK(whole_tally(*second, task) == tally_of(task, reports));
  CHECK(verified_reports(*second) == reports.size());
  CHECK(first->statistics().unavailable.empty());
}

}  // namespace
}  // namespace hearsay::store::spread::tests
