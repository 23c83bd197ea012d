# Functions for examples that start servers on loopback: waiting, free ports, daemons, HAProxy. Source this file. The
# variable `bin` must name the build folder. Sets the variable `work` to a new temporary folder, which the sourcing
# script must remove.

work=$(mktemp -d)
# Ends the script's background processes, also suspended ones, and waits for each.
stop_all() {
  local pid
  for pid in $(jobs -p); do
    kill "$pid" 2>/dev/null || continue
    kill -CONT "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
}

fail() {
  echo "$1" >&2
  tail -n 20 "$work"/*.log >&2
  exit 1
}

# until_true WHAT COMMAND...: repeats the command until it succeeds. Fails with the message WHAT after ten minutes.
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

# Makes the certificate of all daemons, and an administrator's token.
make_credentials() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
  "$bin/aggregator/cli/hearsay" token admin --write "$work/token" >"$work/token.json" 2>"$work/token.log" ||
    { cat "$work/token.log" >&2; return 1; }
}

# configure_daemon NAME STORE PORT OPERATOR_PORT [MORE]: writes the daemon's configuration; MORE holds further keys.
# HAProxy connects from 127.0.0.2, the only address from which the daemon accepts PROXY protocol headers.
configure_daemon() {
  cat >"$work/$1.json" <<JSON
{"store": "$2", "certificate": "$work/certificate.pem", "private_key": "$work/key.pem",
 "listen": "127.0.0.1:$3", "operator_listen": "127.0.0.1:$4", "ready_file": "$work/$1.ready",
 "instance": "$1", "proxy_protocol_from": ["127.0.0.2"],
 "tokens": [$(cat "$work/token.json")], "log_level": "warn"${5:+, $5}}
JSON
}

# start_daemon NAME: starts the daemon, and waits until it serves. Sets daemon_pid.
start_daemon() {
  rm -f "$work/$1.ready"
  "$bin/aggregator/daemon/hearsayd" --config "$work/$1.json" 2>>"$work/$1.log" &
  daemon_pid=$!
  until_true "the daemon $1 did not start" test -e "$work/$1.ready"
}

# configure_haproxy PORT NAME:PORT:OPERATOR_PORT...: writes HAProxy's configuration: PORT is its own port, and each
# further argument is a daemon.
configure_haproxy() {
  local port=$1 daemon
  shift
  cat >"$work/haproxy.cfg" <<CONFIG
global
  maxconn 2000
defaults
  mode tcp
  timeout connect 5s
  timeout client 75s
  timeout server 75s
listen hearsay
  bind 127.0.0.1:$port
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  source 127.0.0.2
CONFIG
  for daemon in "$@"; do
    echo "  server ${daemon%%:*} 127.0.0.1:$(cut -d: -f2 <<<"$daemon") send-proxy-v2 check port ${daemon##*:} inter 200ms fall 1" \
      "rise 1 on-marked-down shutdown-sessions"
  done >>"$work/haproxy.cfg"
}

# Starts HAProxy. Sets haproxy_pid.
start_haproxy() {
  haproxy -f "$work/haproxy.cfg" -db >>"$work/haproxy.log" 2>&1 &
  haproxy_pid=$!
}

# metric OPERATOR_PORT NAME: prints the sum of the series whose names begin with NAME.
metric() { curl -sS "http://127.0.0.1:$1/metrics" | awk -v name="$2" 'index($1, name) == 1 {sum += $2} END {printf "%d", sum}'; }
