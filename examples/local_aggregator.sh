#!/usr/bin/env bash
# Starts an aggregator on this machine, to try things out: `hearsayd` on loopback, with a certificate of its own, an
# administrator's token and an analyst's token. Writes everything into FOLDER. The programs must be on PATH.
#
# usage: examples/local_aggregator.sh FOLDER          starts it and prints how to reach it
#        examples/local_aggregator.sh FOLDER --stop   stops it; FOLDER stays, and the next start goes on from there
#
# FOLDER/variables sets for a shell: PORT, OPERATOR_PORT, and in AS_ADMIN and AS_ANALYST the options by which `hearsay`
# reaches this aggregator. FOLDER's path must have no white space.
set -euo pipefail
[[ $# -ge 1 && $1 != -* && ( $# -eq 1 || ( $# -eq 2 && $2 == --stop ) ) ]] ||
  { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
mkdir -p -m 700 "$1"
folder=$(cd "$1" && pwd)
[[ $folder != *[[:space:]]* ]] || { echo "the folder's path has white space: $folder" >&2; exit 2; }

# ready NAME: prints a number (such as a port) that the daemon wrote when it began to serve.
ready() { sed 's/.*"'"$1"'":\([0-9]*\).*/\1/' "$folder/ready.json"; }

if [[ ${2:-} == --stop ]]; then
  pid=$(ready pid)
  kill "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  exit
fi

if [[ ! -e $folder/hearsayd.json ]]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
  admin=$(hearsay token admin --name admin --write "$folder/admin.token" 2>/dev/null)
  analyst=$(hearsay token analyst --name analyst --write "$folder/analyst.token" 2>/dev/null)
  cat >"$folder/hearsayd.json" <<JSON
{"store": "$folder/store", "certificate": "$folder/certificate.pem", "private_key": "$folder/key.pem",
 "listen": "127.0.0.1:0", "operator_listen": "127.0.0.1:0", "ready_file": "$folder/ready.json",
 "tokens": [$admin, $analyst], "log_level": "warn"}
JSON
fi
rm -f "$folder/ready.json"
nohup hearsayd --config "$folder/hearsayd.json" >"$folder/log" 2>&1 &
trap 'kill $! 2>/dev/null || true' EXIT  # until it serves
while [[ ! -e $folder/ready.json ]]; do
  kill -0 $! 2>/dev/null || { cat "$folder/log" >&2; echo "the aggregator did not start" >&2; exit 1; }
  sleep 0.1
done
trap - EXIT
port=$(ready port)
reach="--server https://localhost:$port --ca $folder/certificate.pem --token-file $folder"
cat >"$folder/variables" <<SHELL
PORT=$port
OPERATOR_PORT=$(ready operator_port)
AS_ADMIN="$reach/admin.token"
AS_ANALYST="$reach/analyst.token"
SHELL
echo "The aggregator serves https://localhost:$port. For this shell:   . ${1%/}/variables"
