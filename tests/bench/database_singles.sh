#!/usr/bin/env bash
# Measures how many single reports a second one daemon takes on one PostgreSQL server. The daemon, the PostgreSQL server
# and the load generator run on the same machine. For each number of connections, the script prints the median rate of
# the rounds, and the processor time that each of the three programs takes for a report.
#
# usage: [BUILD=build/release] [ROUNDS=5] [SECONDS_EACH=4] [LIMIT=15000] tests/bench/database_singles.sh [CONNECTIONS]...
#
# PostgreSQL waits for the disk, and has the settings that aggregator/docs/capacity.md recommends. SETTINGS adds lines
# to these settings. EXTRA_CONFIG adds keys to the daemon's configuration. The exit status is 1 if the rate at 128
# connections is below LIMIT.
set -euo pipefail
cd "$(dirname "$0")/../.."

bin=$PWD/${BUILD:-build/release}
rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-4}
limit=${LIMIT:-15000}
DATABASE_SETTINGS="
shared_buffers = 512MB
checkpoint_timeout = 1h
max_wal_size = 4GB
wal_compression = lz4
${SETTINGS:-}"
source examples/balancer/servers.sh
source examples/high_availability/postgres.sh
source examples/high_availability/cluster.sh
source tests/bench/tasks.sh
source tests/bench/database_costs.sh
trap stop_cluster EXIT
(($#)) || set -- 128 512 1024
ulimit -n "$(ulimit -Hn)"  # enough file descriptors for the connections

front=$(free_port)
make_credentials
database_ports=([db1]=$(free_port))
start_primary db1
uri="postgresql://hearsay@127.0.0.1:${database_ports[db1]}/hearsay?passfile=$work/pgpass"
"$bin/aggregator/cli/hearsay" store migrate "$uri" >"$work/migrate.log"
configure_daemon a "$uri" "$front" "$(free_port)" "\"max_connections_per_address\": 10000${EXTRA_CONFIG:+, $EXTRA_CONFIG}"
start_daemon a
write_task "$work/task.json" "$(booleans 16)" '{"type": "characters", "order": 2}' \
  '{"type": "sampled", "groups": [{"kind": "single", "size": 1, "weight": 1}, {"kind": "raw", "size": 3, "weight": 2}, {"kind": "even", "size": 4, "weight": 3}]}'
create_task "$work/task.json"

# round CONNECTIONS: prints the rate, the p99, the processor times of daemon, database and generator, and the number of
# reports per commit.
round() {
  local cpu reports commits
  cpu=$(database_cpu "$primary") reports=$(counted) commits=$(commits)
  "$bin/tests/bench/load/hearsay_load" single --connections "$1" --port "$front" --task "$work/task.json" --seconds "$seconds" \
    --server-pid "$daemon_pid" >"$work/load.json"
  cpu=$(awk -v a="$cpu" -v b="$(database_cpu "$primary")" 'BEGIN {print b - a}')
  reports=$(($(counted) - reports)) commits=$(($(commits) - commits))
  awk -v rate="$(number reports_per_second)" -v daemon="$(number server_cpu_seconds)" -v measured="$(number reports)" \
    -v p99="$(number p99)" -v cpu="$cpu" -v own="$(number own_cpu_seconds)" -v n="$reports" -v commits="$commits" 'BEGIN {
      print rate, p99 / 1000, 1e6 * daemon / measured, 1e6 * cpu / n, 1e6 * own / measured, n / commits}'
}
commits() { sql "$primary" "SELECT sum(commit) FROM hearsay.writers" hearsay; }
# column N FILE: prints the median of the file's column N.
column() { cut -d' ' -f"$1" "$2" | sort -g | sed -n "$(((rounds + 1) / 2))p"; }

echo "| connections | reports/s (least to most) | p99 | daemon CPU µs | PostgreSQL CPU µs | generator CPU µs | reports a commit |"
echo "|---|---|---|---|---|---|---|"
status=0
round 128 >/dev/null  # this warms tables and query plans
for connections; do
  for ((i = 0; i < rounds; ++i)); do round "$connections"; done >"$work/rounds"
  rate=$(column 1 "$work/rounds")
  printf '| %d | %.0f (%.0f to %.0f) | %.0f ms | %.1f | %.1f | %.1f | %.0f |\n' "$connections" "$rate" \
    "$(cut -d' ' -f1 "$work/rounds" | sort -g | head -1)" "$(cut -d' ' -f1 "$work/rounds" | sort -g | tail -1)" \
    "$(column 2 "$work/rounds")" "$(column 3 "$work/rounds")" "$(column 4 "$work/rounds")" "$(column 5 "$work/rounds")" \
    "$(column 6 "$work/rounds")"
  if ((connections == 128)) && awk -v r="$rate" -v l="$limit" 'BEGIN {exit !(r < l)}'; then status=1; fi
done
exit $status
