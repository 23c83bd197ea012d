# Functions that start and stop the daemon and nginx on loopback, with one certificate. Set bin to the build folder,
# then source this file. The file sets work to a temporary folder, and removes the folder at the script's end.

load=$bin/tests/bench/load/hearsay_load
for program in "$load" "$bin/aggregator/daemon/hearsayd" "$bin/aggregator/cli/hearsay"; do
  [[ -x $program ]] || { echo "missing: $program (see tests/bench/README.md)" >&2; exit 2; }
done

work=$(mktemp -d)
hearsayd_pid=
nginx_pid=
idle_pid=

# stop VARIABLE: ends the process whose pid the variable holds, and waits for its end.
stop() {
  local pid=${!1}
  [[ -n $pid ]] || return 0
  kill "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  printf -v "$1" ''
}
clean_up() {
  stop idle_pid
  stop hearsayd_pid
  stop nginx_pid
  rm -rf "$work"
}
trap clean_up EXIT

# The many connections of `idle` need more open files than the usual limit allows.
ulimit -n "$(ulimit -Hn)"

# pinned CORE COMMAND...: runs the command on core CORE. With PIN=no, runs it on any core.
pinned() {
  local core=$1
  shift
  if [[ ${PIN:-yes} == no ]]; then exec "$@"; else exec taskset -c "$core" "$@"; fi
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
"$bin/aggregator/cli/hearsay" token admin --write "$work/token" >"$work/token.json"

# wait_for FILE PID [SECONDS]: waits until the process has written the file, for at most SECONDS (600).
wait_for() {
  for _ in $(seq $((10 * ${3:-600}))); do
    [[ -s $1 ]] && return 0
    kill -0 "$2" 2>/dev/null || break
    sleep 0.1
  done
  echo "a process did not get ready" >&2
  return 1
}

# start_hearsayd [STORE]: ends the last daemon, and starts one on STORE, or on an empty store. Sets hearsayd_pid, port,
# operator_port.
start_hearsayd() {
  stop hearsayd_pid
  local store=${1:-$work/store}
  [[ -n ${1:-} ]] || rm -rf "$store"
  rm -f "$work/ready.json"
  cat >"$work/hearsayd.json" <<JSON
{"store": "$store", "certificate": "$work/certificate.pem", "private_key": "$work/key.pem",
 "listen": "127.0.0.1:${listen_port:-0}", "operator_listen": "127.0.0.1:0", "ready_file": "$work/ready.json",
 "tokens": [$(cat "$work/token.json")], "log_level": "warn", "max_connections": 20000${EXTRA_CONFIG:-}}
JSON
  pinned 0 "$bin/aggregator/daemon/hearsayd" --config "$work/hearsayd.json" 2>>"$work/hearsayd.log" &
  hearsayd_pid=$!
  wait_for "$work/ready.json" "$hearsayd_pid" || { tail -5 "$work/hearsayd.log" >&2; return 1; }
  port=$(sed 's/.*"port":\([0-9]*\).*/\1/' "$work/ready.json")
  operator_port=$(sed 's/.*"operator_port":\([0-9]*\).*/\1/' "$work/ready.json")
}

# start_nginx: starts nginx with one process. nginx answers 204 to a request for /read once the whole body is in memory.
# nginx answers 204 to any other request without waiting for the body. Sets nginx_pid, nginx_port.
start_nginx() {
  local modules=/usr/lib/nginx/modules
  nginx_port=$((20000 + $$ % 10000))
  mkdir -p "$work/nginx"
  cat >"$work/nginx.conf" <<CONF
load_module $modules/ngx_http_echo_module.so;
daemon off;
master_process off;
worker_processes 1;
worker_rlimit_nofile 65536;
pid $work/nginx/pid;
error_log $work/nginx/error.log error;
events { worker_connections 24000; }
http {
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  client_max_body_size 16m;
  client_body_buffer_size 8448k;
  client_body_temp_path $work/nginx;
  ssl_certificate $work/certificate.pem;
  ssl_certificate_key $work/key.pem;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache off;
  ssl_session_tickets on;
  server {
    listen 127.0.0.1:$nginx_port ssl backlog=4096;
    location / { return 204; }
    location /read { echo_read_request_body; echo_status 204; echo -n ""; }
  }
}
CONF
  pinned 0 nginx -p "$work/nginx" -c "$work/nginx.conf" -e "$work/nginx/error.log" &
  nginx_pid=$!
  wait_for "$work/nginx/pid" "$nginx_pid" || { cat "$work/nginx/error.log" >&2; return 1; }
}

source tests/bench/tasks.sh
write_task "$work/sampled.json" "$(booleans 16)" '{"type": "characters", "order": 2}' \
  '{"type": "sampled", "groups": [{"kind": "single", "size": 1, "weight": 1}, {"kind": "raw", "size": 3, "weight": 2}, {"kind": "even", "size": 4, "weight": 3}]}'
write_task "$work/laplace.json" "$(booleans 64)" '{"type": "literals"}' '{"type": "laplace", "calibration": "tight"}'

create_task() {
  curl -sS --fail-with-body --cacert "$work/certificate.pem" -H "Authorization: Bearer $(cat "$work/token")" \
    -H 'Content-Type: application/json' --data-binary "@$1" "https://localhost:$port/v1/tasks" >/dev/null
}
