#!/usr/bin/env bash
# Two daemons share one PostgreSQL database with a synchronous standby, behind HAProxy, under mixed load. In each round
# the script kills or stops one of these processes. Every acknowledged report must be counted exactly once.
#
# usage: [HEARSAY_FAILOVER_ROUNDS=200] [BUILD=build/release] tests/e2e/failover_rounds.sh
#
# A round sends single reports and batches. Every fourth or fifth body is sent twice more, one copy on another
# connection at the same time. During this load, one of the faults below happens. Then every body is sent once more. If
# the daemon does not call an acknowledged report `replayed`, the report was lost. The tallies must count as many
# reports as were sent in all rounds. In some rounds `hearsay verify` reads the whole store.
set -euo pipefail
cd "$(dirname "$0")/../.."

rounds=${HEARSAY_FAILOVER_ROUNDS:-200}
bin=$PWD/${BUILD:-build/release}
load=$bin/tests/bench/load/hearsay_load
source examples/balancer/servers.sh
source examples/high_availability/postgres.sh
source examples/high_availability/cluster.sh
source tests/bench/tasks.sh
trap stop_cluster EXIT
first_seed=${SEED:-$$}
RANDOM=$first_seed

number() { grep -oE "\"$1\": ?[0-9]+" "$2" | head -1 | grep -oE '[0-9]+$'; }
# pause FROM TO: sleeps for a random time between FROM and TO milliseconds.
pause() {
  local milliseconds=$(($1 + RANDOM % ($2 - $1)))
  sleep "$((milliseconds / 1000)).$(printf %03d $((milliseconds % 1000)))"
}

# --- faults: at the end of a fault, all processes run again ---

any_daemon() { ((RANDOM % 2)) && echo a || echo b; }
kill_daemon() {
  local name
  name=$(any_daemon)
  kill -KILL "${daemon_pids[$name]}"
  wait "${daemon_pids[$name]}" 2>/dev/null || true
  pause 0 1000
  start_daemon "$name"
  daemon_pids[$name]=$daemon_pid
}
kill_haproxy() {
  kill -KILL "$haproxy_pid"
  wait "$haproxy_pid" 2>/dev/null || true
  pause 0 500
  start_haproxy
}
kill_and_restart_primary() {
  kill_postgres "$primary"
  pause 0 1000
  start_postgres "$primary"
  until_true "the standby does not follow again" is_synchronous "$standby" "$primary"
}
kill_primary_and_promote() {
  fail_over
  pause 0 1000
  follow "$standby" "$primary"
}
pause_daemon() {
  local name
  name=$(any_daemon)
  kill -STOP "${daemon_pids[$name]}"
  pause 200 3000
  kill -CONT "${daemon_pids[$name]}"
}
pause_primary() {
  signal_postgres "$primary" STOP
  pause 200 3000
  signal_postgres "$primary" CONT
}
pause_haproxy() {
  kill -STOP "$haproxy_pid"
  pause 200 2000
  kill -CONT "$haproxy_pid"
}
# Stops the primary's processes, lets another server become the primary, and then lets the former primary go on as if
# nothing had happened.
replace_paused_primary() {
  local former=$primary
  signal_postgres "$former" STOP
  promote "$standby"
  primary=$standby
  standby=$former
  pause 0 1000
  signal_postgres "$former" CONT
  pause 0 1000
  kill_postgres "$former"
  follow "$standby" "$primary"
}
faults=(kill_daemon kill_and_restart_primary kill_primary_and_promote kill_haproxy pause_daemon pause_primary pause_haproxy
  replace_paused_primary)

# --- rounds ---

lost=0 miscounted=0 unresolved=0 not_clean=0 acknowledged=0 sent_in_all=0 replies=0
declare -A done_faults

load_with() { "$load" "$@" --port "$front" --task "$work/task.json" --attempts 100000 --timeout 20; }

verify_store() {
  "$bin/aggregator/cli/hearsay" verify -o json "$uri" >"$work/verify.json" 2>"$work/verify.log" && return
  not_clean=$((not_clean + 1))
  echo "round $round: verify says:"
  head -c 2000 "$work/verify.json" "$work/verify.log"
}

run_round() {
  local fault=$1 sent counts single batch
  rm -f "$work/standing"
  load_with single --connections 16 --duplicate-every 5 --payloads 256 --think 0.002 --seconds "$seconds" \
    --journal "$work/single.journal" >"$work/single.json" &
  single=$!
  load_with batch --reports $((1 + RANDOM % 400)) --connections 4 --duplicate-every 4 --payloads 256 --think 0.02 \
    --seconds "$seconds" --journal "$work/batch.journal" --ready-file "$work/standing" >"$work/batch.json" &
  batch=$!
  until_true "the load does not begin" test -s "$work/standing"
  pause 100 800
  "$fault"
  wait "$single" "$batch"
  load_with replay --connections 16 --replay "$work/single.journal" --replay "$work/batch.journal" >"$work/replay.json"
  sent=$(($(number acknowledged "$work/replay.json") + $(number open "$work/replay.json")))
  acknowledged=$((acknowledged + $(number acknowledged "$work/replay.json")))
  lost=$((lost + $(number lost "$work/replay.json")))
  unresolved=$((unresolved + $(number unresolved "$work/replay.json")))
  replies=$((replies + $(awk -F'[:,]' '/"(200|204)":/ {sum += $2} END {printf "%d", sum}' "$work/single.json" "$work/batch.json")))
  sent_in_all=$((sent_in_all + sent))
  counts=$(counted)
  if [[ $counts -ne $sent_in_all ]]; then
    echo "round $round ($fault): $counts counted, $sent_in_all sent"
    miscounted=$((miscounted + 1))
    sent_in_all=$counts
  fi
  done_faults[$fault]=$((${done_faults[$fault]:-0} + 1))
  ((round % 10 != 2)) || verify_store
}

seconds=${HEARSAY_FAILOVER_SECONDS:-4}
start_cluster
write_task "$work/task.json" "$(booleans 4)" '{"type": "characters", "order": 2}' \
  '{"type": "sampled", "groups": [{"kind": "single", "size": 1, "weight": 1}]}'
create_task "$work/task.json"

started=$SECONDS
for ((round = 0; round < rounds; ++round)); do
  run_round "${faults[$((RANDOM % ${#faults[@]}))]}"
  ((round % 10 != 9)) || echo "$((round + 1)) rounds, $acknowledged acknowledged, lost $lost, miscounted $miscounted"
done
verify_store
for fault in "${!done_faults[@]}"; do echo "$fault: ${done_faults[$fault]}"; done
echo "$rounds rounds in $((SECONDS - started)) s (seed $first_seed), $replies replies, $sent_in_all different reports, $acknowledged" \
  "acknowledged; lost $lost, rounds miscounted $miscounted, unresolved $unresolved, not clean $not_clean"
[[ $lost -eq 0 && $miscounted -eq 0 && $unresolved -eq 0 && $not_clean -eq 0 && $acknowledged -gt 0 ]]
