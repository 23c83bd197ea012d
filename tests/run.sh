#!/usr/bin/env bash
# Runs all quick tests. The optimised build runs the tests with the labels privacy, statistical, exhaustive, models and
# programs. The builds with sanitizers run the unit and end-to-end tests, and every fuzzer for a short time. The last
# line of output is "N passed, N failed". The exit status is 1 if a test failed.
set -euo pipefail
cd "$(dirname "$0")/.."

fuzz_seconds=${FUZZ_SECONDS:-10}
# With these settings, ccache finds files that another clone of the repository has compiled.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
passed=0
failed=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

examples/dependencies.sh --tests

# build PRESET TARGET...: builds the targets.
build() {
  local preset=$1
  shift
  echo "== building: $preset"
  cmake --preset "$preset" -DHEARSAY_TESTS=ON -DCMAKE_CXX_COMPILER_LAUNCHER=ccache >"$logs/configure" || { cat "$logs/configure"; exit 1; }
  cmake --build --preset "$preset" ${1:+--target "$@"} >"$logs/build" || { tail -60 "$logs/build"; exit 1; }
}

# run_tests PRESET CTEST_ARGUMENT...: adds CTest's counts to the totals.
run_tests() {
  local preset=$1
  shift
  echo "== testing: $preset $*"
  ctest --test-dir "build/$preset" -j2 --output-on-failure --no-tests=error "$@" >"$logs/tests" || true
  grep -vE '^ *[0-9]+/[0-9]+ Test|^ *Start ' "$logs/tests" || true
  local summary bad all
  summary=$(grep -oE '[0-9]+ tests failed out of [0-9]+' "$logs/tests") || { failed=$((failed + 1)); return; }
  bad=${summary%% *}
  all=${summary##* }
  failed=$((failed + bad))
  passed=$((passed + all - bad))
}

build quick hearsayd hearsay_cli optimised_tests
run_tests quick -L 'privacy|statistical|programs|models|exhaustive'

# Builds with clang, AddressSanitizer, UndefinedBehaviorSanitizer and the fuzzers.
build fuzz sanitized_tests
run_tests fuzz -L 'unit|threads|e2e|fuzz'
echo "== fuzzing: each for $fuzz_seconds s, two at a time"
for source in tests/fuzz/*_fuzz.cc; do
  stem=$(basename "$source" _fuzz.cc)
  mkdir "$logs/found-$stem"
  while (($(jobs -rp | wc -l) >= 2)); do wait -n || true; done
  ("build/fuzz/tests/fuzz/fuzz_$stem" -max_total_time="$fuzz_seconds" -artifact_prefix="$logs/" \
    "$logs/found-$stem" "tests/fuzz/corpus/$stem" >"$logs/fuzz-$stem.log" 2>&1; echo $? >"$logs/status-$stem") &
done
wait
for status in "$logs"/status-*; do
  if [[ $(<"$status") == 0 ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    tail -40 "$logs/fuzz-${status##*/status-}.log"
  fi
done

# Builds the tests that use threads with ThreadSanitizer.
build tsan threaded_tests
run_tests tsan -L threads

echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
