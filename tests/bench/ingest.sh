#!/usr/bin/env bash
# Measures the daemon beside nginx, or beside a writer of RocksDB rows (`batches`). The two run in turns. The script
# prints the median, least and largest ratio of the rounds.
#
# usage: [PIN=no] [ROUNDS=5] [SECONDS_EACH=3] [BUILD=build/release] tests/bench/ingest.sh [singles|batches|laplace|handshakes|idle]...
#
# Unless PIN=no, the server runs on core 0 and the load generator on core 1. In `batches`, the server and the generator
# always share both cores.
set -euo pipefail
cd "$(dirname "$0")/../.."

bin=$PWD/${BUILD:-build/release}
rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-3}
command -v nginx >/dev/null || { echo "nginx is missing: examples/dependencies.sh --bench" >&2; exit 2; }
source tests/bench/servers.sh
results=$work/results
: >"$results"

# measure LABEL SERVER PID ARGUMENT...: runs the generator once, and appends "label server metric value" lines to
# $results.
measure() {
  local label=$1 server=$2 pid=$3
  shift 3
  (pinned 1 "$load" "$@" --sources 64 --seconds "$seconds" --server-pid "$pid") >"$work/run.json"
  local problems
  problems=$(tr -d '\n' <"$work/run.json" | grep -oE '"errors": \{ *[^} ][^}]*\}' || true)
  [[ -z $problems ]] || echo "  $label, $server: $problems" >&2
  awk -v label="$label" -v server="$server" -F'[":, ]+' \
    'NF >= 3 && $3 + 0 == $3 && $2 !~ /^[0-9]+$/ {print label "\t" server "\t" $2 "\t" $3}' "$work/run.json" >>"$results"
}

# in_turns LABEL HEARSAY_FUNCTION RIVAL_FUNCTION: runs both functions in every round, in alternating order.
in_turns() {
  for ((round = 0; round < rounds; ++round)); do
    if ((round % 2)); then "$3" "$1"; "$2" "$1"; else "$2" "$1"; "$3" "$1"; fi
  done
}

# row LABEL METRIC WANTED [A B]: prints a line of the table from the results of servers A and B. WANTED is a limit on
# the ratio A/B such as ">=0.9", or "-" for no limit.
row() {
  awk -F'\t' -v label="$1" -v metric="$2" -v wanted="$3" -v a="${4:-hearsayd}" -v b="${5:-nginx}" '
    function sort(v, n,   i, j, t) {
      for (i = 2; i <= n; ++i) for (j = i; j > 1 && v[j - 1] > v[j]; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    }
    function median(v, n) { return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
    $1 == label && $3 == metric && $2 == a { x[++n] = $4 }
    $1 == label && $3 == metric && $2 == b { y[++m] = $4 }
    END {
      for (i = 1; i <= n && i <= m; ++i) if (y[i] > 0) r[++k] = x[i] / y[i]
      if (k == 0) { printf "%-34s %-28s no result\n", label, metric; exit 1 }
      sort(x, n); sort(y, m); sort(r, k)
      middle = median(r, k)
      verdict = ""
      if (wanted ~ /^>=/) verdict = middle >= substr(wanted, 3) + 0 ? "ok" : "missed"
      if (wanted ~ /^<=/) verdict = middle <= substr(wanted, 3) + 0 ? "ok" : "missed"
      printf "%-34s %-28s %12.1f %12.1f %8.3f %8.3f %8.3f  %-7s %s\n", label, metric, median(x, n), median(y, m), middle, r[1], r[k], wanted, verdict
      exit verdict == "missed"
    }' "$results" || missed=$((missed + 1))
}
missed=0
head_line() { printf '%-34s %-28s %12s %12s %8s %8s %8s  %s\n' "$1" "" "${2:-hearsayd}" "${3:-nginx}" ratio least largest wanted; }

run_singles() {
  for connections in 32 128 512; do
    start_hearsayd
    create_task "$work/sampled.json"
    local label="single, $connections connections"
    ours() { measure "$1" hearsayd "$hearsayd_pid" single --port "$port" --task "$work/sampled.json" --connections "$connections" --warmup 0.5; }
    theirs() { measure "$1" nginx "$nginx_pid" single --port "$nginx_port" --task "$work/sampled.json" --connections "$connections" --warmup 0.5; }
    in_turns "$label" ours theirs
    local wanted=">=0.75"
    ((connections > 32)) || wanted=">=0.4"
    head_line "$label"
    row "$label" requests_per_second "$wanted"
    row "$label" server_cpu_us_per_request "<=1.35"
    row "$label" p50 -
    row "$label" p99 "<=2"
    row "$label" own_cpu_us_per_request -
  done
}

# Each round has a fresh store, so that the index of ids has the same size in all rounds.
run_batches() {
  local label="batches of 1,000, k=16"
  ours() {
    PIN=no start_hearsayd
    create_task "$work/sampled.json"
    PIN=no measure "$1" hearsayd "$hearsayd_pid" batch --reports 1000 --port "$port" --task "$work/sampled.json" --connections 64 --warmup 0.5
  }
  rows() {
    stop hearsayd_pid
    rm -rf "$work/rows"
    "$bin/tests/bench/load/rocks_rows" --task "$work/sampled.json" --store "$work/rows" --seconds "$seconds" |
      awk -v label="$1" '{print label "\trocksdb\treports_per_second\t" $1}' >>"$results"
    rm -rf "$work/rows"
  }
  in_turns "$label" ours rows
  head_line "$label" hearsayd "RocksDB rows"
  row "$label" reports_per_second ">=6" hearsayd rocksdb
  awk -F'\t' -v label="$label" '$1 == label && $2 == "hearsayd" && $3 ~ /^(own_cpu_seconds|server_cpu_seconds|body_mb_per_second)$/ {sum[$3] += $4; ++n[$3]}
    END {for (metric in sum) printf "  %s: mean %.2f\n", metric, sum[metric] / n[metric]}' "$results"
}

# A request has about 2 MB, so that the whole body fits into nginx's buffer in memory.
run_laplace() {
  local label="Laplace batches, d=64"
  local -a with=(batch --reports "${LAPLACE_REPORTS:-16000}" --task "$work/laplace.json" --connections 8 --warmup 0.5 --payloads 64000)
  ours() {
    start_hearsayd
    create_task "$work/laplace.json"
    measure "$1" hearsayd "$hearsayd_pid" "${with[@]}" --port "$port"
  }
  theirs() { measure "$1" nginx "$nginx_pid" "${with[@]}" --port "$nginx_port" --path /read; }
  in_turns "$label" ours theirs
  head_line "$label"
  row "$label" body_mb_per_second ">=0.5"
  row "$label" reports_per_second -
}

run_handshakes() {
  start_hearsayd
  create_task "$work/sampled.json"
  for kind in full resumed; do
    local label="handshakes, $kind"
    local -a with=(handshake --connections 32 --warmup 0.5)
    # A server need not send a new ticket in a resumed session. So with --resume, each connection sends a report, and
    # its answer shows that the handshake is done.
    [[ $kind == full ]] || with+=(--resume --task "$work/sampled.json")
    ours() { measure "$1" hearsayd "$hearsayd_pid" "${with[@]}" --port "$port"; }
    theirs() { measure "$1" nginx "$nginx_pid" "${with[@]}" --port "$nginx_port"; }
    in_turns "$label" ours theirs
    head_line "$label"
    row "$label" "${kind}_handshakes_per_second" "$([[ $kind == full ]] && echo '>=0.9' || echo -)"
    row "$label" server_cpu_us_per_request -
  done
}

# Measures the latency at 128 connections: alone, and beside 10,000 open connections that send nothing.
run_idle() {
  local label="128 connections beside 10,000" resident_before resident_with
  local -a with=(single --task "$work/sampled.json" --connections 128 --warmup 0.5)
  start_hearsayd
  create_task "$work/sampled.json"
  resident() { awk '/VmRSS/ {print $2 / 1024}' "/proc/$hearsayd_pid/status"; }
  resident_before=$(resident)
  alone() { measure "$1" alone "$hearsayd_pid" "${with[@]}" --port "$port"; }
  beside() {
    rm -f "$work/standing"
    (pinned 1 "$load" idle --port "$port" --connections 10000 --sources 250 --seconds 600 --ready-file "$work/standing") >"$work/idle.json" &
    idle_pid=$!
    wait_for "$work/standing" "$idle_pid" 200 || { cat "$work/idle.json" >&2; return 1; }
    resident_with=$(resident)
    measure "$1" beside "$hearsayd_pid" "${with[@]}" --port "$port"
    stop idle_pid
  }
  in_turns "$label" alone beside
  head_line "$label" beside alone
  row "$label" p99 "<=1.25" beside alone
  row "$label" requests_per_second - beside alone
  awk -v before="$resident_before" -v with_them="$resident_with" 'BEGIN {
    printf "  daemon: %.0f MiB resident at start, %.0f MiB with 10,000 idle connections (wanted: under 1024)\n", before, with_them
    exit with_them >= 1024 }' || missed=$((missed + 1))
}

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(singles batches laplace handshakes idle)
start_nginx
echo "rounds: $rounds of $seconds s; pinned: ${PIN:-yes}; load average: $(cut -d' ' -f1 /proc/loadavg)"
for part in "${parts[@]}"; do
  "run_$part"
done
echo "missed: $missed"
[[ $missed -eq 0 ]]
