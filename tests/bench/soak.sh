#!/usr/bin/env bash
# Runs the daemon under sustained mixed load. The script fails if the daemon's memory grows, a request fails, or the
# slowest answers get slower.
#
# usage: [HEARSAY_SOAK_SECONDS=600] [BUILD=build/release] tests/bench/soak.sh
#
# The load has three parts. 64 connections send single reports to a task whose windows of 10 s expire after another 10
# s. Two connections send batches to a task whose reports do not expire. Two connections are opened anew for each
# report. Before the load, batches at full speed fill the index of ids (whose limit is 16 MiB) and the store's caches.
# The filling ends when memory grows by less than 1 % in a twentieth of the time.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${HEARSAY_SOAK_SECONDS:-600}
bin=$PWD/${BUILD:-build/release}
export PIN=no
source tests/bench/servers.sh

bound=', "max_index_bytes": 16777216'
EXTRA_CONFIG=$bound start_hearsayd 2>/dev/null || start_hearsayd
write_task "$work/lasting.json" "$(booleans 2)" '{"type": "literals"}' '{"type": "laplace", "calibration": "tight"}'
sed 's/"time_precision": [0-9]*/"time_precision": 10, "report_expiry_age": 10/' "$work/sampled.json" >"$work/expiring.json"
create_task "$work/lasting.json"
create_task "$work/expiring.json"

resident() { awk '/VmRSS/ {print $2}' "/proc/$hearsayd_pid/status"; }
before=0
for ((round = 0; round < 20; ++round)); do
  "$load" batch --reports 1000 --task "$work/lasting.json" --connections 8 --port "$port" --seconds $((seconds / 20)) >"$work/filling.json"
  now=$(resident)
  echo "filling: $((now / 1024)) MiB resident"
  ((now * 100 >= before * 101)) || break
  before=$now
done

# in_background NAME ARGUMENT...: starts a load generator that runs for the whole time.
loads=()
in_background() {
  local name=$1
  shift
  "$load" "$@" --port "$port" --seconds "$seconds" --interval $((seconds / 10)) >"$work/$name.json" &
  loads+=($!)
}
in_background singles single --task "$work/expiring.json" --connections 64 --think 0.005 --duplicate-every 50
in_background batches batch --reports 500 --task "$work/lasting.json" --connections 2 --think 0.1 --duplicate-every 50
in_background newcomers handshake --task "$work/expiring.json" --connections 2 --think 0.2

# Writes the daemon's resident memory in kibibytes to a file once a second.
while kill -0 "${loads[0]}" 2>/dev/null; do
  echo "$SECONDS $(resident)" >>"$work/resident" || break
  sleep 1
done
wait "${loads[@]}"

bad=0
for name in singles batches newcomers; do
  flat=$(tr -d ' \n' <"$work/$name.json" | sed 's/"intervals":\[[^]]*\],//')
  grep -q '"errors":{}' <<<"$flat" && grep -q '"rejected":0,' <<<"$flat" && grep -q '"retries":0,' <<<"$flat" &&
    ! grep -oE '"statuses":\{[^}]*\}' <<<"$flat" | grep -qE '"([13-9][0-9]{2}|20[1235-9]|2[1-9][0-9])":' && verdict=ok || { verdict=missed; bad=1; }
  echo "$name: $(grep -oE '"(requests|reports|rejected|retries)":[0-9]+' <<<"$flat" | tr '\n' ' ')$(grep -oE '"(errors|statuses)":\{[^}]*\}' <<<"$flat" | tr '\n' ' ') $verdict"
done

# Fits a least-squares line through the second half of the memory figures, and computes how far the line rises.
awk '{at[NR] = $1; kib[NR] = $2} END {
    for (i = int(NR / 2) + 1; i <= NR; ++i) { ++n; x += at[i]; y += kib[i]; xx += at[i] * at[i]; xy += at[i] * kib[i] }
    slope = n * xx == x * x ? 0 : (n * xy - x * y) / (n * xx - x * x)
    rise = slope * (at[NR] - at[int(NR / 2) + 1]) / 1024
    mean = y / n / 1024
    allowed = mean * 0.03 > 8 ? mean * 0.03 : 8
    printf "resident by tenths of the time, MiB:"; for (i = 1; i <= 10; ++i) printf " %.0f", kib[int(NR * i / 10)] / 1024
    printf "\nresident: %.0f MiB on average in the second half, rising by %.1f MiB in it (allowed: %.1f) %s\n", mean, rise, allowed, rise <= allowed ? "ok" : "missed"
    exit rise > allowed }' "$work/resident" || bad=1

# Each generator prints the p99 of each tenth of the time.
awk -F'[:,]' '/"p99_us"/ {p[++n] = $2} END {
    if (n < 10) { print "p99: too few intervals"; exit 1 }
    printf "p99 of singles by tenths of the time, ms:"; for (i = 1; i <= n; ++i) printf " %.2f", p[i] / 1000
    printf "; last to second: %.2f (allowed: 1.5) %s\n", p[10] / p[2], p[10] <= 1.5 * p[2] ? "ok" : "missed"
    exit p[10] > 1.5 * p[2] }' "$work/singles.json" || bad=1
grep -vE '^$' "$work/hearsayd.log" | tail -5 || true
[[ $bad -eq 0 ]] && echo "soak: $seconds s, ok" || { echo "soak: $seconds s, missed"; exit 1; }
