#!/usr/bin/env bash
# Kills the daemon with SIGKILL under mixed load, round after round. Every acknowledged report must be counted exactly
# once.
#
# usage: [HEARSAY_CRASH_ROUNDS=300] [BUILD=build/release] tests/e2e/kill_rounds.sh
#
# A round sends single reports and batches from 20 connections. Every fourth or fifth body is sent twice more, one copy
# on another connection at the same time. After 0.1 to 0.6 s the script kills the daemon, and `hearsay verify` must
# accept the store. The daemon starts again, in each round with another limit for the index of ids. In some rounds the
# script kills the daemon during this start, too. The tally must now agree with the store and the replies. Then every
# body is sent once more. If the daemon does not call an acknowledged report `replayed`, the report was lost. Afterwards
# the tally must count each report that was ever sent once. In some rounds the script kills the daemon during this
# replay, too, and repeats the replay.
set -euo pipefail
cd "$(dirname "$0")/../.."

rounds=${HEARSAY_CRASH_ROUNDS:-300}
bin=$PWD/${BUILD:-build/release}
export PIN=no
source tests/bench/servers.sh

rounds_per_store=25
verifies=0 not_clean=0 lost=0 doubled=0 unresolved=0 kills=0 acknowledged=0 reports=0 replies=0
first_seed=${SEED:-$$}
RANDOM=$first_seed
write_task "$work/small.json" "$(booleans 2)" '{"type": "literals"}' '{"type": "laplace", "calibration": "tight"}'

# number KEY FILE: prints the first number that the key has in a JSON file.
number() { grep -oE "\"$1\": ?[0-9]+" "$2" | head -1 | grep -oE '[0-9]+$'; }
pause() { sleep "0.$(printf %03d "$1")"; }  # milliseconds below 1000

# The daemon dies at once, but answers that it sent before may still arrive.
kill_hearsayd() {
  kill -KILL "$hearsayd_pid"
  wait "$hearsayd_pid" 2>/dev/null || true
  hearsayd_pid=
  kills=$((kills + 1))
}

# Runs `hearsay verify` on the store of the killed daemon. Sets `stored` to the number of reports in the store.
verify_store() {
  verifies=$((verifies + 1))
  if ! "$bin/aggregator/cli/hearsay" verify -o json "$work/store" >"$work/verify.json" 2>"$work/verify.log"; then
    not_clean=$((not_clean + 1))
    echo "round $round: verify says:"
    head -c 2000 "$work/verify.json" "$work/verify.log"
  fi
  stored=$(number reports "$work/verify.json" || echo 0)
}

# Sets counted to the number of reports in the task's tally.
read_tally() {
  curl -sS --fail-with-body --max-time 600 --cacert "$work/certificate.pem" -H "Authorization: Bearer $(cat "$work/token")" \
    "https://localhost:$port/v1/tasks/$task_id/tally" >"$work/tally.json"
  counted=$(grep -oE '"reports":[0-9]+' "$work/tally.json" | awk -F: '{sum += $2} END {printf "%d", sum}')
}

# Each round has another limit for the index of ids, if the daemon has such an option.
bounds=("" ', "max_index_bytes": 65536' ', "max_index_bytes": 4194304')
restart() {
  EXTRA_CONFIG=
  ((has_bound)) && EXTRA_CONFIG=${bounds[$((round % 3))]}
  if ((round % 10 == 7)); then
    start_hearsayd_and_kill_it
  fi
  start_hearsayd "$work/store"
}
start_hearsayd_and_kill_it() {
  "$bin/aggregator/daemon/hearsayd" --config "$work/hearsayd.json" 2>>"$work/hearsayd.log" &
  hearsayd_pid=$!
  pause $((RANDOM % 100))
  kill_hearsayd
}

new_store() {
  stop hearsayd_pid
  rm -rf "$work/store"
  EXTRA_CONFIG=
  start_hearsayd "$work/store"
  task=$work/small.json
  ((round / rounds_per_store % 2)) && task=$work/sampled.json
  create_task "$task"
  task_id=$(curl -sS --cacert "$work/certificate.pem" -H "Authorization: Bearer $(cat "$work/token")" "https://localhost:$port/v1/tasks" |
    grep -oE '"task": ?"[^"]+"' | head -1 | cut -d'"' -f4)
  known=0
}

replay() {
  "$load" replay --port "$port" --task "$task" --connections 16 --timeout 600 --until-refused \
    --replay "$work/single.journal" --replay "$work/batch.journal" >"$work/replay.json"
}

run_round() {
  rm -f "$work/standing"
  local size=$((1 + RANDOM % 400))
  "$load" single --port "$port" --task "$task" --connections 16 --duplicate-every 5 --payloads 256 --until-refused --seconds 20 \
    --journal "$work/single.journal" >"$work/single.json" &
  local single=$!
  "$load" batch --reports $size --port "$port" --task "$task" --connections 4 --duplicate-every 4 --payloads 256 --think 0.005 --until-refused \
    --seconds 20 --journal "$work/batch.journal" --ready-file "$work/standing" >"$work/batch.json" &
  local batch=$!
  wait_for "$work/standing" "$batch"
  pause $((100 + RANDOM % 500))
  kill_hearsayd
  wait "$single" "$batch"
  verify_store
  restart
  read_tally
  local before=$counted
  if [[ $before -ne $stored ]]; then
    echo "round $round: $stored reports stored, $before counted"
    doubled=$((doubled + 1))
  fi

  local in_two=$((round % 5 == 3))
  if ((in_two)); then
    replay &
    local replaying=$!
    pause $((20 + RANDOM % 200))
    kill_hearsayd
    wait "$replaying"
    lost=$((lost + $(number lost "$work/replay.json")))
    verify_store
    restart
  fi
  replay
  local sent open_stored
  sent=$(($(number acknowledged "$work/replay.json") + $(number open "$work/replay.json")))
  open_stored=$(number open_stored "$work/replay.json")
  lost=$((lost + $(number lost "$work/replay.json")))
  unresolved=$((unresolved + $(number unresolved "$work/replay.json")))
  acknowledged=$((acknowledged + $(number acknowledged "$work/replay.json")))
  reports=$((reports + sent))
  replies=$((replies + $(awk -F'[:,]' '/"(200|204)":/ {sum += $2} END {printf "%d", sum}' "$work/single.json" "$work/batch.json")))
  local expected=$((known + sent - $(number open "$work/replay.json") + open_stored))
  if ((!in_two)) && [[ $before -ne $expected ]]; then
    echo "round $round: $before counted, $expected expected before the replay"
    doubled=$((doubled + (before > expected ? before - expected : 0)))
    lost=$((lost + (before < expected ? expected - before : 0)))
  fi
  read_tally
  known=$((known + sent))
  if [[ $counted -ne $known ]]; then
    echo "round $round: $counted counted, $known expected after it"
    doubled=$((doubled + (counted > known ? counted - known : 0)))
    lost=$((lost + (counted < known ? known - counted : 0)))
    known=$counted
  fi
}

# A daemon that does not know the option max_index_bytes refuses to start with this option.
has_bound=1
EXTRA_CONFIG=', "max_index_bytes": 65536' start_hearsayd 2>/dev/null || has_bound=0
stop hearsayd_pid

started=$SECONDS
for ((round = 0; round < rounds; ++round)); do
  ((round % rounds_per_store)) || new_store
  run_round
  ((round % 50 != 49)) || echo "$((round + 1)) rounds, $reports reports, lost $lost, doubled $doubled"
done
echo "$rounds rounds in $((SECONDS - started)) s (seed $first_seed), $kills kills, $replies replies, $reports different reports, $acknowledged acknowledged;" \
  "lost $lost, doubled $doubled, unresolved $unresolved; $verifies times verified, $not_clean not clean"
[[ $lost -eq 0 && $doubled -eq 0 && $unresolved -eq 0 && $not_clean -eq 0 && $acknowledged -gt 0 ]]
