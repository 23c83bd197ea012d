#!/usr/bin/env bash
# Sends 200 copies of each report to two daemons on one PostgreSQL database, over 200 connections, half of them to each
# daemon. Each report must be counted once, and exactly one daemon must call it accepted.
#
# usage: [HEARSAY_DUPLICATED_IDS=1000000] [BUILD=build/release] tests/e2e/duplicates.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

ids=${HEARSAY_DUPLICATED_IDS:-1000000}
copies=200
batch=$((ids < 100000 ? 100 : 1000))  # so many batches that each daemon receives some batches first
bin=$PWD/${BUILD:-build/release}
source examples/balancer/servers.sh
source examples/high_availability/postgres.sh
source examples/high_availability/cluster.sh
source tests/bench/tasks.sh
trap stop_cluster EXIT

start_cluster
write_task "$work/task.json" "$(booleans 4)" '{"type": "characters", "order": 2}' \
  '{"type": "sampled", "groups": [{"kind": "single", "size": 1, "weight": 1}]}'
create_task "$work/task.json"

started=$SECONDS
"$bin/tests/bench/load/hearsay_load" batch --reports $batch --port "${ports[a]}" --also-port "${ports[b]}" --task "$work/task.json" \
  --connections $copies --copies $copies --requests $((ids / batch * copies)) --payloads 256 --attempts 100000 --timeout 600 \
  --seconds 86400 >"$work/load.json"
for outcome in accepted replayed rejected; do
  declare "$outcome=$(($(metric "${operator_ports[a]}" "hearsay_reports_${outcome}_total") + $(metric "${operator_ports[b]}" "hearsay_reports_${outcome}_total")))"
done
accepted_by_a=$(metric "${operator_ports[a]}" hearsay_reports_accepted_total)
counts=$(counted)
echo "$ids ids, $copies copies each, in $((SECONDS - started)) s: $accepted accepted ($accepted_by_a by the first daemon)," \
  "$replayed replayed, $rejected rejected, $counts counted"
[[ $counts -eq $ids && $accepted -eq $ids && $replayed -eq $((ids * (copies - 1))) && $rejected -eq 0 ]] ||
  fail "a report was lost or counted twice"
[[ $accepted_by_a -gt 0 && $accepted_by_a -lt $ids ]] || fail "one daemon had nothing to do"
"$bin/aggregator/cli/hearsay" verify "$uri" || fail "hearsay verify found tallies that differ from the reports"
