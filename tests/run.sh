#!/usr/bin/env bash
# All quick tests: privacy, statistical, end-to-end and models in a release build; unit and end-to-end ones under the sanitizers, and every
# fuzzer for a short while. Ends with a line "N passed, N failed"; exit status 1 if anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."

fuzz_seconds=${FUZZ_SECONDS:-10}
# Compilations of one clone serve another one.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
passed=0
failed=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

examples/dependencies.sh --tests

# build PRESET TARGET...: without targets everything.
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

build release hearsayd hearsay_cli simulate_population simulate_monomials simulate_decision_lists report_once compare_mechanisms optimised_tests
run_tests release -L 'privacy|statistical|e2e|programs|models'

# Clang with AddressSanitizer, UndefinedBehaviorSanitizer and the fuzzers.
build fuzz sanitized_tests
run_tests fuzz -L 'unit|threads|e2e|fuzz'
for source in tests/fuzz/*_fuzz.cc; do
  stem=$(basename "$source" _fuzz.cc)
  fuzzer=build/fuzz/tests/fuzz/fuzz_$stem
  echo "== fuzzing: $stem for $fuzz_seconds s"
  mkdir "$logs/found-$stem"
  if "$fuzzer" -max_total_time="$fuzz_seconds" -artifact_prefix="$logs/" "$logs/found-$stem" "tests/fuzz/corpus/$stem" >"$logs/fuzz-$stem.log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    tail -40 "$logs/fuzz-$stem.log"
  fi
done

# ThreadSanitizer on what has threads.
build tsan threaded_tests
run_tests tsan -L threads

echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
