#!/usr/bin/env bash
# Tests the project's products outside of the source tree. Projects outside of Hearsay link the installed SDK. The
# Debian packages are unpacked and, if the script runs as root, installed into a new Debian 12. HAProxy stands before
# the daemon, and two daemons share a PostgreSQL database. The package for JavaScript runs in Node and in a browser. The
# script builds the documentation site. The last line of output is "N passed, N failed". The exit status is 1 if a test
# failed.
set -euo pipefail
cd "$(dirname "$0")/.."

# With these settings, ccache finds files that another clone of the repository has compiled. tests/run.sh fills the
# cache for the packages.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
source=$PWD
passed=0
failed=0
work=$(mktemp -d)
trap 'umount -l "$work/root/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT

examples/dependencies.sh --platforms

# check NAME COMMAND ARGUMENT...: counts the command as one test. If the command fails, shows its output. The command
# runs as a job of its own, because within "if COMMAND" bash would ignore `set -e`.
check() {
  local name=$1
  shift
  "$@" >"$work/check" 2>&1 &
  if wait $!; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
    tail -40 "$work/check"
  fi
}

# fails_with TEXT COMMAND ARGUMENT...: succeeds if the command fails and its message has the text.
fails_with() {
  local text=$1
  shift
  "$@" >"$work/failure" 2>&1 &
  if wait $!; then
    echo "does not fail: $*"
    return 1
  fi
  # CMake breaks long messages into lines.
  tr -s '\n ' ' ' <"$work/failure" | grep -F "$text" >/dev/null || { cat "$work/failure"; return 1; }
}

# CMake compiles each folder as one translation unit.
quickly=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0)

# --- the SDK alone ---

echo "== the SDK without what only the aggregator needs"
build_sdk() {
  cmake --preset sdk "${quickly[@]}" -DCMAKE_INSTALL_LIBDIR=lib "${without[@]}"
  cmake --build --preset sdk
  cmake --install build/sdk --prefix "$work/installed"
}
without=()
for package in Boost Eigen3 RocksDB CLI11 spdlog doctest; do
  without+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
check "the SDK builds alone" build_sdk

# outside NAME CMAKE_ARGUMENT...: configures the project tests/install/outside.
outside() {
  local name=$1
  shift
  cmake -G Ninja -S tests/install/outside -B "$work/$name" -DCMAKE_BUILD_TYPE=MinSizeRel \
    -DCMAKE_PREFIX_PATH="$work/installed" "$@"
}
both=(-DOUTSIDE_VERSION=0.1 "-DOUTSIDE_COMPONENTS=core;client")

with_find_package() {
  outside found "${both[@]}"
  cmake --build "$work/found"
  "$work/found/report_from_core"
}
check "find_package" with_find_package
core_alone() {
  ! readelf -d "$work/found/report_from_core" | sed -nE 's/.*\(NEEDED\).*\[(.*)\].*/\1/p' |
    grep -vE '^(libcrypto|libstdc\+\+|libm|libgcc_s|libc|ld-linux[-a-z0-9_]*)\.so'
}
check "a program with the core loads libcrypto alone" core_alone
check "a program with the client loads libcurl, SQLite and libcrypto" cmake -DREADELF="$(command -v readelf)" \
  -DPROGRAM="$work/found/report_once" -P tests/install/needed.cmake

with_cxx17() {
  outside cxx17 -DOUTSIDE_COMPONENTS=core -DCMAKE_CXX_STANDARD=17
  cmake --build "$work/cxx17"
  "$work/cxx17/report_from_core"
}
check "find_package(Hearsay COMPONENTS core) in a project of C++17" with_cxx17
check "the core alone looks for neither libcurl nor SQLite" outside core -DOUTSIDE_COMPONENTS=core \
  -DCMAKE_DISABLE_FIND_PACKAGE_CURL=ON -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
check "a component that is not there" fails_with "Hearsay has no component 'server'" \
  outside component -DOUTSIDE_COMPONENTS=server
check "another minor version" fails_with 'compatible with requested version "0.2"' \
  outside version -DOUTSIDE_VERSION=0.2 -DOUTSIDE_COMPONENTS=core

as_subproject() {
  outside subproject -DHEARSAY_SOURCE="$source" -DCMAKE_CXX_STANDARD=17 "${quickly[@]}" "${without[@]}" \
    -DCMAKE_BUILD_TYPE=Debug
  cmake --build "$work/subproject" --target report_from_core
  "$work/subproject/report_from_core"
}
check "FetchContent in a project of C++17" as_subproject

export PKG_CONFIG_PATH=$work/installed/lib/pkgconfig
# by_hand STANDARD: compiles and runs the program without CMake.
by_hand() {
  # shellcheck disable=SC2046
  g++ "-std=$1" tests/install/outside/report_from_core.cc -o "$work/by_hand" $(pkg-config --cflags --libs hearsay-core)
  "$work/by_hand"
}
client_by_hand() {
  # shellcheck disable=SC2046
  g++ -std=c++20 examples/report_once.cc -o "$work/client_by_hand" $(pkg-config --cflags --libs hearsay)
}
c_by_hand() {
  # shellcheck disable=SC2046
  gcc -std=c11 tests/bindings/c_api_test.c -o "$work/c_by_hand" $(pkg-config --cflags --libs hearsay-c)
  LD_LIBRARY_PATH=$work/installed/lib "$work/c_by_hand" "$work/c_by_hand.db"
}
# Runs the desktop apps without arguments, so that they print their usage.
desktop_by_hand() {
  # shellcheck disable=SC2046
  g++ -std=c++20 examples/survey/survey.cc -o "$work/survey" $(pkg-config --cflags --libs hearsay)
  # shellcheck disable=SC2046
  gcc -std=c11 examples/survey/survey.c -o "$work/survey_c" $(pkg-config --cflags --libs hearsay-c) -pthread
  fails_with usage "$work/survey"
  LD_LIBRARY_PATH=$work/installed/lib fails_with usage "$work/survey_c"
}
check "pkg-config: the desktop apps" desktop_by_hand
check "pkg-config: core" by_hand c++20
check "pkg-config: C" c_by_hand
check "pkg-config: client" client_by_hand
check "C++17 is told that C++20 is needed" fails_with "Hearsay's headers need C++20" by_hand c++17

installed_headers() {
  diff <(LC_ALL=C ls "$work/installed/include/hearsay") \
    <(cd "$source" && ls common/include/hearsay sdk/include/hearsay | grep '\.h$' | grep -vx query.h | LC_ALL=C sort)
}
check "the installed headers are the public ones" installed_headers
check "sizes" tests/install/size_limits.sh "$work/found"
cat "$work/check"

# --- the packages ---

echo "== packages"
build_packages() {
  cmake --preset package "${quickly[@]}" -DHEARSAY_OPTIMISATION=-O1
  cmake --build --preset package
  cpack --config build/package/CPackConfig.cmake -B "$work/packages"
}
check "the packages build" build_packages
debs=("$work"/packages/*.deb)
mkdir "$work/unpacked"
for deb in "${debs[@]}"; do dpkg-deb -x "$deb" "$work/unpacked"; done

names() { diff <(printf '%s\n' hearsay hearsayd libhearsay-dev libhearsay0) <(for deb in "${debs[@]}"; do dpkg-deb -f "$deb" Package; done | sort); }
check "the packages" names
library=$(echo "$work"/unpacked/usr/lib/*/libhearsay.so.0)
check "libhearsay-core.so" tests/install/shared_library.sh "${library/hearsay.so/hearsay-core.so}" libhearsay-core.so.0 libcrypto
check "libhearsay.so" tests/install/shared_library.sh "$library" libhearsay.so.0 \
  libhearsay-core libcurl libsqlite3 libcrypto
check "libhearsay-c.so" tests/install/shared_library.sh "${library/hearsay.so/hearsay-c.so}" libhearsay-c.so.0 \
  libcurl libsqlite3 libcrypto

# The library must export exactly the functions of the header.
c_symbols() {
  diff <(grep -E '^HEARSAY_API' sdk/include/hearsay/hearsay.h | grep -oE 'hearsay_[a-z0-9_]+\(' | tr -d '(' | sort) \
    <(nm -D --defined-only "${library/hearsay.so/hearsay-c.so}" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | sort)
}
check "libhearsay-c.so exports the functions of hearsay.h" c_symbols

# shared_project: builds tests/install/outside with the packages' shared libraries, while CMake cannot find
# libcurl and OpenSSL, which the shared libraries load.
shared_project() {
  outside shared "${both[@]}" -DHearsay_ROOT="$work/unpacked/usr" -DCMAKE_PREFIX_PATH= -DCMAKE_LIBRARY_ARCHITECTURE="$(basename "$(dirname "$library")")" \
    -DCMAKE_DISABLE_FIND_PACKAGE_CURL=ON -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON
  cmake --build "$work/shared"
  "$work/shared/report_from_core"
}
check "the shared libraries in a project of somebody else" shared_project

# clean_root: makes a minimal Debian 12 that has the packages except libhearsay-dev, and their dependencies.
clean_root() {
  debootstrap --variant=minbase bookworm "$work/root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
  cp /etc/resolv.conf "$work/root/etc/resolv.conf"
  [[ ! -e /etc/apt/apt.conf ]] || cp /etc/apt/apt.conf "$work/root/etc/apt/apt.conf"
  cp -a /etc/apt/apt.conf.d/. "$work/root/etc/apt/apt.conf.d/"
  mount -t proc proc "$work/root/proc"
  mkdir "$work/root/packages"
  cp "${debs[@]}" "$work/root/packages"
  chroot "$work/root" apt-get update -qq
  chroot "$work/root" sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    /packages/libhearsay0_*.deb /packages/hearsay_*.deb /packages/hearsayd_*.deb'
}
in_root() { chroot "$work/root" "$@"; }
owners() {
  diff <(cat <<'EXPECTED'
root:hearsay 750 /etc/hearsay
root:hearsay 640 /etc/hearsay/hearsayd.json
hearsay:hearsay 700 /var/lib/hearsay
hearsay:hearsay 700 /var/backups/hearsay
EXPECTED
) <(in_root stat -c '%U:%G %a %n' /etc/hearsay /etc/hearsay/hearsayd.json /var/lib/hearsay /var/backups/hearsay)
}
# The installed configuration is valid once the administrator has added a certificate.
configuration() {
  fails_with "/etc/hearsay/certificate.pem" in_root hearsayd --check-config --config /etc/hearsay/hearsayd.json
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 \
    -keyout "$work/root/etc/hearsay/private_key.pem" -out "$work/root/etc/hearsay/certificate.pem"
  in_root chgrp hearsay /etc/hearsay/private_key.pem
  in_root chmod 640 /etc/hearsay/private_key.pem
  in_root setpriv --reuid hearsay --regid hearsay --init-groups hearsayd --check-config --config /etc/hearsay/hearsayd.json
}
runs_linked() {
  cp "$work/shared/report_from_core" "$work/shared/report_once" "$work/root/packages"
  in_root /packages/report_from_core
  fails_with usage in_root /packages/report_once
}
# Removing the packages must keep the directory with people's reports, and remove the packages' files.
removal() {
  touch "$work/root/var/lib/hearsay/kept"
  in_root dpkg --purge hearsayd hearsay libhearsay0
  [[ -e $work/root/var/lib/hearsay/kept && ! -e $work/root/usr/bin/hearsayd && ! -e $work/root/etc/hearsay/hearsayd.json ]]
}
if [[ $(id -u) -eq 0 ]]; then
  check "the packages install into a clean root" clean_root
  check "hearsay" in_root hearsay --help
  check "hearsay-central" in_root hearsay-central --help
  check "hearsay-report" in_root hearsay-report --help
  check "the daemon's user and directories" owners
  check "the default configuration" configuration
  check "a program finds the installed libraries" runs_linked
  check "the packages can be removed" removal
else
  echo "not root: the packages are not installed"
fi

# --- HAProxy and PostgreSQL ---

echo "== HAProxy before the daemon; two daemons on PostgreSQL"
with_haproxy() {
  cmake --preset quick -DHEARSAY_TESTS=ON -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  cmake --build --preset quick --target hearsayd hearsay_cli simulate_population hearsay_load
  examples/balancer/run.sh
}
check "HAProxy before the daemon" with_haproxy
check "two daemons on PostgreSQL, the primary fails over" examples/high_availability/run.sh --users 1000
check "three faults of daemons, databases and HAProxy under load" env BUILD=build/quick HEARSAY_FAILOVER_ROUNDS=3 \
  tests/e2e/failover_rounds.sh
check "200 copies of each report over two daemons" env BUILD=build/quick HEARSAY_DUPLICATED_IDS=10000 tests/e2e/duplicates.sh

# --- JavaScript ---

echo "== JavaScript"
check "the package for JavaScript builds" sdk/bindings/javascript/build.sh
browser=$(npm install --prefix build/javascript --no-save --no-package-lock --no-audit --no-fund playwright-core@1.64.1 \
  2>&1) || echo "$browser"
# in_node FILE: runs the file's tests in Node, and counts each test.
in_node() {
  local file=$1 summary
  summary=$(HEARSAYD=$work/unpacked/usr/bin/hearsayd HEARSAY=$work/unpacked/usr/bin/hearsay \
    LD_LIBRARY_PATH=$(dirname "$library") timeout 600 node --test --test-reporter=tap "tests/bindings/javascript/$file") ||
    { echo "$summary" | grep -vE '^ok ' | head -100; }
  local good all
  good=$(sed -n 's/^# pass //p' <<<"$summary")
  all=$(sed -n 's/^# tests //p' <<<"$summary")
  if [[ -z $good || -z $all || $all -eq 0 ]]; then
    echo "FAILED: $file ended without its totals"
    failed=$((failed + 1))
    return
  fi
  grep -F 'compressed' <<<"$summary" || true
  passed=$((passed + good))
  failed=$((failed + all - good))
}
for file in core ledger upload task_list page; do in_node "$file.test.mjs"; done

# --- the documentation ---

# The guide builds and runs apps in C++, C, Python and JavaScript, with the SDK that the script installed above.
app_guide() {
  local quick=$source/build/quick
  cmake --build --preset quick --target hearsayd hearsay_cli hearsay_report
  LD_LIBRARY_PATH=$work/installed/lib python3 -B tests/guides/run_guide.py sdk/docs/quickstart.md \
    "$quick/aggregator/daemon" "$quick/aggregator/cli" "$quick/sdk/report_command"
}
check "the guide for apps" app_guide
echo "== the documentation site"
check "the site builds without warnings, and its links lead somewhere" examples/site.sh "$work/site"
check "the site on a screen of 360 px, with no file from elsewhere" node tests/site/narrow.mjs "$work/site"

echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
