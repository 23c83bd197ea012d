#!/usr/bin/env bash
# Shows the whole system once, from nothing. Installs packages, builds the programs, starts an aggregator and lets a
# made-up population report to it. Apart from packages, writes only to a temporary directory and build/quick.
#
# usage: examples/quickstart.sh [--users N]      (default 200000)
set -euo pipefail
cd "$(dirname "$0")/.."

users=200000
case "${1:-}" in
  "") ;;
  --users) users=${2:?--users needs a number} ;;
  *) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

examples/dependencies.sh
echo "building (the first time takes some minutes)"
cmake --preset quick >/dev/null
cmake --build --preset quick --target hearsayd hearsay_cli simulate_population
bin=$PWD/build/quick

export PATH=$bin/aggregator/daemon:$bin/aggregator/cli:$PATH

work=$(mktemp -d)
status=0
stop() {
  [[ ! -e $work/ready.json ]] || examples/local_aggregator.sh "$work" --stop
  rm -rf "$work"
}
trap stop EXIT
examples/local_aggregator.sh "$work" >"$work/started"
. "$work/variables"

echo "Berkeley admissions of 1973: $users people report twice, under a planned task and under the scheme of a paper"
echo "(Aldà and Simon 2014), each report randomized on its own device with epsilon 4; this takes about a minute"
"$bin/examples/simulate_population" $AS_ADMIN --users "$users" --epsilon 4 >"$work/output" || status=$?
if [[ $status -ne 0 ]]; then
  cat "$work/output"
  exit "$status"
fi

curl -sS "http://127.0.0.1:$OPERATOR_PORT/metrics" >"$work/metrics"
accepted=$(awk '/^hearsay_reports_accepted_total/ {sum += $2} END {printf "%d", sum}' "$work/metrics")
handshakes=$(awk '/^hearsay_handshakes_total/ {print $2}' "$work/metrics")
echo "the aggregator's metrics: $accepted reports accepted, $handshakes TLS handshakes"
if [[ $accepted -ne $((2 * users)) || $handshakes -lt $((users < 1000 ? users : 1000)) ]]; then
  echo "expected exactly $((2 * users)) accepted reports, and handshakes of a thousand clients" >&2
  exit 1
fi

echo
cat "$work/output"

cmake --build --preset quick --target simulate_monomials simulate_decision_lists >/dev/null
echo
echo "The paper's scheme on random people, beside the bound of the paper's Theorem 7. In each row other people report;"
echo "the column true is the fraction of them for whom the query is true:"
for driver in simulate_monomials simulate_decision_lists; do
  echo
  "$bin/examples/$driver" $AS_ADMIN 2>"$work/progress" || status=$?
  [[ $status -lt 2 ]] || { cat "$work/progress" >&2; exit "$status"; }
done
exit "$status"
