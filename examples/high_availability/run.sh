#!/usr/bin/env bash
# Runs two daemons on one PostgreSQL database with a synchronous standby, behind HAProxy, all on loopback. While people
# report, the script kills the primary and promotes the standby. It checks that no report is lost or counted twice.
# Writes only to temporary directories.
#
# usage: [BUILD=build/quick] examples/high_availability/run.sh [--users N]      (default 4000)
set -euo pipefail
cd "$(dirname "$0")/../.."

users=4000
case "${1:-}" in
  "") ;;
  --users) users=${2:?--users needs a number} ;;
  *) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

bin=$PWD/${BUILD:-build/quick}
source examples/balancer/servers.sh
source examples/high_availability/postgres.sh
source examples/high_availability/cluster.sh
trap stop_cluster EXIT
start_cluster

started=$SECONDS
status=0
"$bin/examples/simulate_population" --server "https://localhost:$front" --ca "$work/certificate.pem" \
  --token-file "$work/token" --users "$users" --epsilon 4 --connections 4 >"$work/population.log" 2>&1 &
population=$!
until_true "nobody reports" eval '(($(counted) >= users / 4))'
echo "$(counted) reports counted; now the primary is killed"
fail_over
echo "$primary is the primary now"
wait "$population" || status=$?
[[ $status -lt 2 ]] || fail "the population could not report"
follow "$standby" "$primary"
echo "$standby follows as its synchronous standby"

reports=$(counted)
echo "$reports reports counted of $((2 * users)), in $((SECONDS - started)) s"
[[ $reports -eq $((2 * users)) ]] || fail "reports were lost or counted twice"
"$bin/aggregator/cli/hearsay" verify "$uri" || fail "the store is not as its reports say"
