#!/usr/bin/env bash
# The long runs: every test optimised and with sanitizers, many rounds of kill -9, longer fuzzing, and the two commands of the README in a
# minimal Debian 12 made from nothing.
#
# usage: tests/run_long.sh [all|crash|fuzz|clean]...      (default: each of them)
set -euo pipefail
cd "$(dirname "$0")/.."

crash_rounds=${HEARSAY_CRASH_ROUNDS:-100}
fuzz_seconds=${FUZZ_SECONDS:-600}

run_all() {
  for preset in release asan tsan; do
    cmake --preset "$preset" -DHEARSAY_TESTS=ON >/dev/null
    cmake --build --preset "$preset"
    ctest --test-dir "build/$preset" -j2 --output-on-failure --timeout 3600 -LE statistical
  done
}

run_crash() {
  cmake --preset release -DHEARSAY_TESTS=ON >/dev/null
  cmake --build --preset release --target e2e_crash
  HEARSAY_CRASH_ROUNDS=$crash_rounds build/release/tests/e2e/e2e_crash
}

run_fuzz() {
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz
  for fuzzer in build/fuzz/tests/fuzz/fuzz_*; do
    [[ -x $fuzzer && -f $fuzzer ]] || continue
    local found
    found=$(mktemp -d)
    "$fuzzer" -max_total_time="$fuzz_seconds" -print_final_stats=1 "$found" "tests/fuzz/corpus/${fuzzer##*/fuzz_}"
    rm -rf "$found"
  done
}

# A clone in a Debian 12 that has git and nothing else.
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
  mount --make-rslave "$root/dev"  # what is unmounted there stays mounted here
  trap "umount -l $root/dev $root/proc; rm -rf --one-file-system $root" EXIT
  git clone -q . "$root/root/hearsay"
  chroot "$root" bash -c 'cd /root/hearsay && examples/quickstart.sh && tests/run.sh'
}

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(all crash fuzz clean)
for part in "${parts[@]}"; do
  echo "== $part"
  "run_$part"
done
