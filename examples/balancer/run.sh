#!/usr/bin/env bash
# Runs HAProxy before the daemon, on loopback. HAProxy passes TLS through, and tells the daemon each client's address,
# so that the daemon can limit each address. Writes only to a temporary directory.
#
# usage: [BUILD=build/quick] examples/balancer/run.sh [--users N]      (default 2000)
set -euo pipefail
cd "$(dirname "$0")/../.."

users=2000
case "${1:-}" in
  "") ;;
  --users) users=${2:?--users needs a number} ;;
  *) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

bin=$PWD/${BUILD:-build/quick}
source examples/balancer/servers.sh
trap 'stop_all; rm -rf "$work"' EXIT

port=$(free_port)
operator_port=$(free_port)
front=$(free_port)
limit=20

make_credentials
configure_daemon a "$work/store" "$port" "$operator_port" "\"max_connections_per_address\": $limit"
start_daemon a
configure_haproxy "$front" "a:$port:$operator_port"
start_haproxy

call=(curl -sS --fail --cacert "$work/certificate.pem" -H "Authorization: Bearer $(cat "$work/token")")
tasks=("${call[@]}" "https://localhost:$front/v1/tasks")
until_true "HAProxy does not reach the daemon" "${tasks[@]}"

status=0
"$bin/examples/simulate_population" --server "https://localhost:$front" --ca "$work/certificate.pem" \
  --token-file "$work/token" --users "$users" --epsilon 4 --connections 4 >"$work/population.log" 2>&1 || status=$?
[[ $status -lt 2 ]] || fail "the population could not report"
accepted=$(metric "$operator_port" 'hearsay_reports_accepted_total{instance="a"')
echo "$accepted reports accepted of $((2 * users))"
[[ $accepted -eq $((2 * users)) ]] || fail "reports were lost or counted twice"
[[ $(metric "$operator_port" hearsay_proxy_headers_refused_total) -eq 0 ]] || fail "the daemon refused connections of HAProxy"

# Silent clients on 127.0.0.3 open 5 connections more than one address may hold.
python3 - "$front" $((limit + 5)) "$work/held" <<'PYTHON' &
import socket, sys, time
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1])), source_address=("127.0.0.3", 0))
        for _ in range(int(sys.argv[2]))]
open(sys.argv[3], "w").close()
time.sleep(600)
PYTHON
holder=$!
until_true "the silent clients did not connect" test -e "$work/held"
refused() { [[ $(metric "$operator_port" 'hearsay_connections_refused_total{instance="a",reason="address"}') -eq 5 ]]; }
until_true "the daemon does not limit the connections of one client" refused
"${tasks[@]}" >/dev/null || fail "the limit of one client stops another client"
kill "$holder"
wait "$holder" 2>/dev/null || true
echo "one client reached its limit on connections, and another client was still served"

kill "$daemon_pid"
wait "$daemon_pid" || fail "the daemon failed"
down() { ! "${tasks[@]}"; }
until_true "HAProxy answers for a daemon that has stopped" down
start_daemon a
until_true "HAProxy does not find the daemon again" "${tasks[@]}"
echo "HAProxy found the daemon again"
