#!/usr/bin/env bash
# Runs the long tests. `all`: the tests of CTest except the statistical ones, optimised and with sanitizers. `crash`:
# hundreds of rounds of kill -9, for the daemon and for clients. `failover`: faults of two daemons on PostgreSQL.
# `timing`: the times of a million uploads. `strategy`: the planner's largest strategies. `measures`: 24,000 runs of the
# test whether the measures' intervals cover the truth. `soak`: minutes of sustained load. `fuzz`: at least 10^8
# executions of the fuzzers. `clean`: the commands of the README in a new, minimal Debian 12.
#
# usage: tests/run_long.sh [all|crash|failover|timing|strategy|measures|soak|fuzz|clean]...      (default: each of them)
#
# Environment: HEARSAY_CRASH_ROUNDS (300), HEARSAY_FAILOVER_ROUNDS (200), HEARSAY_DUPLICATED_IDS (1000000),
# HEARSAY_SWITCH_REPORTS (100000, to two daemons with different maps of several databases), HEARSAY_LEDGER_ROUNDS (500),
# HEARSAY_CLIENT_ROUNDS (500), HEARSAY_TIMED_REPORTS (1000000), HEARSAY_SOAK_SECONDS (600), HEARSAY_FUZZ_RUNS
# (100000000, over all fuzzers).
set -euo pipefail
cd "$(dirname "$0")/.."

export HEARSAY_CRASH_ROUNDS=${HEARSAY_CRASH_ROUNDS:-300} HEARSAY_SOAK_SECONDS=${HEARSAY_SOAK_SECONDS:-600}
fuzz_runs=${HEARSAY_FUZZ_RUNS:-100000000}

run_all() {
  for preset in release asan tsan; do
    cmake --preset "$preset" -DHEARSAY_TESTS=ON >/dev/null
  done
  for preset in release asan; do
    cmake --build --preset "$preset"
    ctest --test-dir "build/$preset" -j2 --output-on-failure --timeout 3600 -LE statistical
  done
  cmake --build --preset tsan --target threaded_tests
  ctest --test-dir build/tsan -j2 --output-on-failure --timeout 3600 -L threads
}

run_crash() {
  cmake --preset release -DHEARSAY_TESTS=ON >/dev/null
  cmake --build --preset release --target load_programs exhaustive_sdk_ledger programs unit_aggregator_store_spread
  tests/e2e/kill_rounds.sh
  HEARSAY_LEDGER_ROUNDS=${HEARSAY_LEDGER_ROUNDS:-500} build/release/tests/unit/exhaustive_sdk_ledger --test-case='kill -9*'
  HEARSAY_CLIENT_ROUNDS=${HEARSAY_CLIENT_ROUNDS:-500} build/release/tests/e2e/programs --test-case='kill -9 of clients*'
  HEARSAY_SWITCH_REPORTS=${HEARSAY_SWITCH_REPORTS:-100000} build/release/tests/unit/unit_aggregator_store_spread --test-case='two daemons with different maps*'
}

run_failover() {
  cmake --preset release -DHEARSAY_TESTS=ON >/dev/null
  cmake --build --preset release --target load_programs
  tests/e2e/failover_rounds.sh
  HEARSAY_DUPLICATED_IDS=${HEARSAY_DUPLICATED_IDS:-1000000} tests/e2e/duplicates.sh
}

run_timing() {
  cmake --preset release -DHEARSAY_TESTS=ON >/dev/null
  cmake --build --preset release --target exhaustive_sdk_client
  HEARSAY_TIMED_REPORTS=${HEARSAY_TIMED_REPORTS:-1000000} build/release/tests/unit/exhaustive_sdk_client
}

run_strategy() {
  cmake --preset release -DHEARSAY_TESTS=ON >/dev/null
  cmake --build --preset release --target exhaustive_aggregator_planner
  build/release/tests/unit/exhaustive_aggregator_planner --test-case="all prefixes of 128 values*,*: up to 128 records,*: 256 records" --no-skip
}

run_measures() {
  cmake --preset release -DHEARSAY_TESTS=ON >/dev/null
  cmake --build --preset release --target statistical_measure_coverage
  HEARSAY_MEASURE_RUNS=${HEARSAY_MEASURE_RUNS:-24000} build/release/tests/statistical/statistical_measure_coverage
}

run_soak() {
  cmake --preset release -DHEARSAY_TESTS=ON >/dev/null
  cmake --build --preset release --target load_programs
  tests/bench/soak.sh
}

# Two fuzzers run at a time, and each fuzzer gets the same time.
run_fuzz() {
  local build=build/fuzz_long stem
  local -a stems=()
  local -A executed=()
  local total=0 findings=0 slice=${HEARSAY_FUZZ_SLICE:-60}
  for stem in tests/fuzz/*_fuzz.cc; do stems+=("$(basename "$stem" _fuzz.cc)"); done
  # -O1, because the preset `fuzz` does not optimise.
  cmake --preset fuzz -B "$build" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" >/dev/null
  cmake --build "$build" --target "${stems[@]/#/fuzz_}"
  mkdir -p "$build/logs" "$build/artifacts"
  for stem in "${stems[@]}"; do mkdir -p "$build/found/$stem" "tests/fuzz/corpus/found/$stem"; done

  finish_slices() {
    for stem in "${!running[@]}"; do
      wait "${running[$stem]}" || { findings=$((findings + 1)); echo "finding in $stem:"; grep -E 'SUMMARY|ERROR|Test unit written' "$build/logs/$stem" || true; }
      executed[$stem]=$((${executed[$stem]:-0} + $(awk '/stat::number_of_executed_units/ {n = $2} END {printf "%d", n}' "$build/logs/$stem")))
    done
    running=()
  }
  local -A running=()
  while ((total < fuzz_runs && findings == 0)); do
    for stem in "${stems[@]}"; do
      "$build/tests/fuzz/fuzz_$stem" -max_total_time="$slice" -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="$build/artifacts/$stem-" "$build/found/$stem" "tests/fuzz/corpus/$stem" "tests/fuzz/corpus/found/$stem" >"$build/logs/$stem" 2>&1 &
      running[$stem]=$!
      ((${#running[@]} < 2)) || finish_slices
    done
    finish_slices
    total=0
    for stem in "${stems[@]}"; do total=$((total + executed[$stem])); done
    echo "$total executions, $findings findings"
  done
  for stem in "${stems[@]}"; do keep_corpus "$build" "$stem"; done
  for stem in "${stems[@]}"; do echo "$stem: ${executed[$stem]} executions"; done
  echo "fuzz: $total executions in all, $findings findings"
  [[ $findings -eq 0 ]]
}

# keep_corpus BUILD STEM: copies the fuzzer's new inputs that add coverage into the corpus. Copies at most 100 inputs of
# at most 4 KiB, the smallest first.
keep_corpus() {
  local merged
  merged=$(mktemp -d)
  cp -r "tests/fuzz/corpus/$2/." "tests/fuzz/corpus/found/$2/." "$merged"
  "$1/tests/fuzz/fuzz_$2" -merge=1 -max_len=4096 "$merged" "$1/found/$2" >"$1/logs/merge-$2" 2>&1 || { tail -5 "$1/logs/merge-$2"; return 1; }
  (cd "$merged" && find . -type f -size -9 -printf '%s %P\n' | sort -n | cut -d' ' -f2- | grep -xE '[0-9a-f]{40}' || true) |
    head -100 | while read -r file; do cp -n "$merged/$file" "tests/fuzz/corpus/found/$2/$file"; done
  rm -rf "$merged"
}

# Makes a minimal Debian 12 with git, and runs the README's commands in a clone there.
run_clean() {
  command -v debootstrap >/dev/null || examples/dependencies.sh --clean
  local root
  root=$(mktemp -d)
  debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  [[ ! -e /etc/apt/apt.conf ]] || cp /etc/apt/apt.conf "$root/etc/apt/apt.conf"
  cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --make-rslave "$root/dev"  # unmounting there must not unmount here
  trap "umount -l $root/dev $root/proc; rm -rf --one-file-system $root" EXIT
  git clone -q . "$root/root/hearsay"
  chroot "$root" bash -c 'cd /root/hearsay && examples/quickstart.sh && tests/run.sh'
}

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(all crash failover timing strategy measures soak fuzz clean)
for part in "${parts[@]}"; do
  echo "== $part"
  "run_$part"
done
