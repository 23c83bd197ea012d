#!/usr/bin/env bash
# HAProxy before the daemon, on loopback: TLS passes through, and the limits by address go by the client that HAProxy
# names. Everything it writes is in a temporary directory and the build directory.
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
work=$(mktemp -d)
daemon=
haproxy=
stop() {
  for pid in $haproxy $daemon; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap stop EXIT

fail() {
  echo "$1" >&2
  tail -20 "$work"/*.log >&2
  exit 1
}

# until_true WHAT COMMAND...: waits for the command to succeed; ten minutes, so that only a hang takes so long.
until_true() {
  local what=$1
  shift
  for _ in $(seq 6000); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  fail "$what"
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
port=$(free_port)
operator_port=$(free_port)
front=$(free_port)
limit=20

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
"$bin/aggregator/cli/hearsay" token admin --write "$work/token" >"$work/token.json"
cat >"$work/hearsayd.json" <<JSON
{"store": "$work/store", "certificate": "$work/certificate.pem", "private_key": "$work/key.pem",
 "listen": "127.0.0.1:$port", "operator_listen": "127.0.0.1:$operator_port", "ready_file": "$work/ready.json",
 "instance": "a", "proxy_protocol_from": ["127.0.0.2"], "max_connections_per_address": $limit,
 "tokens": [$(cat "$work/token.json")], "log_level": "warn"}
JSON
# HAProxy's own address is 127.0.0.2, so that a client who goes round it is nobody's balancer.
cat >"$work/haproxy.cfg" <<CONFIG
global
  maxconn 2000
defaults
  mode tcp
  timeout connect 5s
  timeout client 75s
  timeout server 75s
listen hearsay
  bind 127.0.0.1:$front
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  source 127.0.0.2
  server a 127.0.0.1:$port send-proxy-v2 check port $operator_port inter 200ms fall 1 rise 1
CONFIG

start_daemon() {
  rm -f "$work/ready.json"
  "$bin/aggregator/daemon/hearsayd" --config "$work/hearsayd.json" 2>>"$work/daemon.log" &
  daemon=$!
  until_true "the daemon did not start" test -e "$work/ready.json"
}
start_daemon
haproxy -f "$work/haproxy.cfg" -db >"$work/haproxy.log" 2>&1 &
haproxy=$!

call=(curl -sS --fail --cacert "$work/certificate.pem" -H "Authorization: Bearer $(cat "$work/token")")
tasks=("${call[@]}" "https://localhost:$front/v1/tasks")
until_true "HAProxy does not reach the daemon" "${tasks[@]}"
metric() { curl -sS "http://127.0.0.1:$operator_port/metrics" | awk -v name="$1" 'index($1, name) == 1 {sum += $2} END {printf "%d", sum}'; }

status=0
"$bin/examples/simulate_population" --server "https://localhost:$front" --ca "$work/certificate.pem" \
  --token-file "$work/token" --users "$users" --epsilon 4 --connections 4 >"$work/population.log" 2>&1 || status=$?
[[ $status -lt 2 ]] || fail "the population could not report"
accepted=$(metric 'hearsay_reports_accepted_total{instance="a"')
echo "$accepted reports accepted of $((2 * users))"
[[ $accepted -eq $((2 * users)) ]] || fail "reports were lost or counted twice"
[[ $(metric hearsay_proxy_headers_refused_total) -eq 0 ]] || fail "connections had no valid header"

# Silent clients on 127.0.0.3 hold as many connections as one address may, and ask for more.
python3 - "$front" $((limit + 5)) "$work/held" <<'PYTHON' &
import socket, sys, time
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1])), source_address=("127.0.0.3", 0))
        for _ in range(int(sys.argv[2]))]
open(sys.argv[3], "w").close()
time.sleep(600)
PYTHON
holder=$!
until_true "the silent clients did not connect" test -e "$work/held"
refused() { [[ $(metric 'hearsay_connections_refused_total{instance="a",reason="address"}') -eq 5 ]]; }
until_true "the limit does not go by the client" refused
"${tasks[@]}" >/dev/null || fail "the limit of one client concerns another"
kill "$holder"
wait "$holder" 2>/dev/null || true
echo "the limit on connections went by the client"

kill "$daemon"
wait "$daemon" || fail "the daemon failed"
down() { ! "${tasks[@]}"; }
until_true "HAProxy answers for a daemon that has stopped" down
start_daemon
until_true "HAProxy does not find the daemon again" "${tasks[@]}"
echo "HAProxy found the daemon again"
