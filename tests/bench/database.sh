#!/usr/bin/env bash
# Measures the cost of a report for a daemon and its PostgreSQL servers: processor time, bytes on disk, bytes of log.
# aggregator/docs/capacity.md calculates with these figures.
#
# usage: [BUILD=build/release] [SECONDS_EACH=20] tests/bench/database.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

bin=$PWD/${BUILD:-build/release}
seconds=${SECONDS_EACH:-20}
source examples/balancer/servers.sh
source examples/high_availability/postgres.sh
source examples/high_availability/cluster.sh
source tests/bench/tasks.sh
source tests/bench/database_costs.sh
trap stop_cluster EXIT
start_cluster
write_task "$work/task.json" "$(booleans 16)" '{"type": "characters", "order": 2}' \
  '{"type": "sampled", "groups": [{"kind": "single", "size": 1, "weight": 1}, {"kind": "raw", "size": 3, "weight": 2}, {"kind": "even", "size": 4, "weight": 3}]}'
create_task "$work/task.json"

log_position() { sql "$primary" "SELECT pg_current_wal_lsn() - '0/0'"; }
disk_bytes() { sql "$primary" "CHECKPOINT" && sql "$primary" "SELECT pg_database_size('hearsay')"; }

# measure NAME MODE FLAGS...: sends reports to the first daemon, and prints a line of the table.
measure() {
  local name=$1 cpu standby_cpu log disk reports
  shift
  cpu=$(database_cpu "$primary") standby_cpu=$(database_cpu "$standby") log=$(log_position) disk=$(disk_bytes)
  reports=$(counted)
  "$bin/tests/bench/load/hearsay_load" "$@" --port "${ports[a]}" --task "$work/task.json" --seconds "$seconds" \
    --server-pid "${daemon_pids[a]}" >"$work/load.json"
  sleep 3  # the daemon needs this time to add the last commits to the tallies
  cpu=$(awk -v a="$cpu" -v b="$(database_cpu "$primary")" 'BEGIN {print b - a}')
  standby_cpu=$(awk -v a="$standby_cpu" -v b="$(database_cpu "$standby")" 'BEGIN {print b - a}')
  log=$(($(log_position) - log)) disk=$(($(disk_bytes | tail -1) - disk)) reports=$(($(counted) - reports))
  awk -v name="$name" -v n="$reports" -v rate="$(number reports_per_second)" -v daemon="$(number server_cpu_seconds)" \
    -v measured="$(number reports)" -v cpu="$cpu" -v standby="$standby_cpu" -v log_bytes="$log" -v disk="$disk" 'BEGIN {
      printf "| %s | %d | %.0f | %.1f | %.1f | %.1f | %.0f | %.0f |\n", name, n, rate, 1e6 * daemon / measured, 1e6 * cpu / n,
             1e6 * standby / n, log_bytes / n, disk / n }'
}

echo "| load | reports | reports/s | daemon CPU µs | primary CPU µs | standby CPU µs | log bytes | disk bytes |"
echo "|---|---|---|---|---|---|---|---|"
measure "single reports, each on a connection of its own" handshake --connections 64
measure "single reports, 128 connections" single --connections 128
measure "batches of 1,000, 4 connections" batch --reports 1000 --connections 4
