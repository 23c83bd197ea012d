#!/usr/bin/env bash
# Installs missing packages on Debian 12. Calls sudo unless root runs the script. Without an option, installs what the
# build and most examples need. --tests, --bench, --platforms or --clean add what tests/run.sh, the benchmarks,
# tests/run_platforms.sh or a clean root need. --site installs only what the documentation site needs.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache pkg-config ca-certificates openssl curl
  libboost-dev libeigen3-dev libssl-dev nlohmann-json3-dev doctest-dev librocksdb-dev libcli11-dev libspdlog-dev libfmt-dev
  libcsv-dev libpq-dev libcurl4-openssl-dev libsqlite3-dev libbenchmark-dev libxxhash-dev coinor-csdp coinor-libclp-dev
  libhowardhinnant-date-dev libpugixml-dev
)
if [[ "${1:-}" == --tests ]]; then
  packages+=(clang-14 libclang-rt-14-dev python3 postgresql-15)
elif [[ "${1:-}" == --bench ]]; then
  packages+=(nginx-light libnginx-mod-http-echo)
elif [[ "${1:-}" == --platforms ]]; then
  packages+=(haproxy postgresql-15 dpkg-dev file debootstrap emscripten chromium esbuild node-typescript)
  command -v npm >/dev/null || packages+=(npm)
elif [[ "${1:-}" == --site ]]; then
  packages=(python3-sphinx python3-sphinx-copybutton python3-myst-parser furo doxygen graphviz linkchecker)
elif [[ "${1:-}" == --clean ]]; then
  packages+=(debootstrap)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
[[ $(id -u) -eq 0 ]] || as_root=(sudo)
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
