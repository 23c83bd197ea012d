#!/usr/bin/env bash
# Starts an aggregator on this machine, to try things out. Makes a certificate, an administrator's and an analyst's
# token, and runs `hearsayd` on loopback. Writes everything into FOLDER. The programs must be on PATH.
#
# usage: examples/local_aggregator.sh FOLDER               starts the aggregator and prints how to reach it
#        examples/local_aggregator.sh FOLDER --origin URL  also lets the web page of this origin report
#        examples/local_aggregator.sh FOLDER --stop        stops the aggregator; FOLDER stays, for the next start
#
# URL is the page's address without the path, such as http://localhost:8080. The file FOLDER/variables sets the shell
# variables PORT and OPERATOR_PORT, and in AS_ADMIN and AS_ANALYST the options by which `hearsay` reaches this
# aggregator. A later start uses the same ports. FOLDER's path must have no white space.
set -euo pipefail

usage() { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; }
fail() { echo "local_aggregator.sh: $1" >&2; exit "${2:-1}"; }

case "${1:--}/${2:-}/$#" in
  -*) usage ;;
  */1 | */--stop/2) origin= ;;
  */--origin/3) origin=$3 ;;
  *) usage ;;
esac
if [[ ${2:-} == --stop && ! -d $1 ]]; then fail "there is no folder $1" 2; fi
mkdir -p -m 700 "$1"
folder=$(cd "$1" && pwd)
[[ $folder != *[[:space:]]* ]] || fail "the folder's path has white space: $folder" 2
config=$folder/hearsayd.json

# ready NAME: prints a number from the file that the daemon writes when it begins to serve.
ready() { sed -n 's/.*"'"$1"'":\([0-9]*\).*/\1/p' "$folder/ready.json" 2>/dev/null || true; }

# Succeeds if the daemon runs. Also compares the process's arguments: a killed daemon leaves its ready file, and another
# process may have got its pid.
runs() { tr '\0' '\n' 2>/dev/null <"/proc/$(ready pid)/cmdline" | grep -qxF "$config"; } 2>/dev/null

say_how_to_reach() { echo "The aggregator $1 https://localhost:$(ready port). For this shell:   . ${2%/}/variables"; }

if [[ ${2:-} == --stop ]]; then
  runs || { echo "No aggregator runs in $1."; exit; }
  pid=$(ready pid)
  kill "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  exit
fi

if runs; then
  [[ -z $origin ]] || grep -qF "[\"$origin\"]" "$config" ||
    fail "the aggregator runs without --origin $origin; stop it first: local_aggregator.sh $1 --stop"
  say_how_to_reach "already runs:" "$1"
  exit
fi

if [[ ! -e $config ]]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
  admin=$(hearsay token admin --name admin --write "$folder/admin.token" 2>/dev/null)
  analyst=$(hearsay token analyst --name analyst --write "$folder/analyst.token" 2>/dev/null)
  cat >"$config" <<JSON
{"store": "$folder/store", "certificate": "$folder/certificate.pem", "private_key": "$folder/key.pem",
 "listen": "127.0.0.1:0", "operator_listen": "127.0.0.1:0", "ready_file": "$folder/ready.json",
 "allowed_origins": [],
 "tokens": [$admin, $analyst], "log_level": "warn"}
JSON
fi

# set_in_config EXPRESSION: changes the configuration by a command of sed, if the result is a valid configuration.
set_in_config() {
  sed "$1" "$config" >"$config.new"
  hearsayd --config "$config.new" --check-config >/dev/null || { rm "$config.new"; exit 2; }
  mv "$config.new" "$config"
}

if [[ -n $origin ]]; then
  [[ $origin != *[[:space:]\"\\\|\&]* ]] || fail "--origin $origin is not an origin, such as http://localhost:8080" 2
  set_in_config 's|"allowed_origins": \[.*\]|"allowed_origins": ["'"$origin"'"]|'
fi
nohup hearsayd --config "$config" >"$folder/log" 2>&1 &
trap 'kill $! 2>/dev/null || true' EXIT  # until the daemon serves
while [[ $(ready pid) != "$!" ]]; do
  kill -0 $! 2>/dev/null || {
    reason=$(sed 's/.*"detail":"\([^"]*\)".*/\1/' "$folder/log")
    fail "the aggregator did not start: $reason (the configuration is $config)"
  }
  sleep 0.1
done
trap - EXIT
set_in_config 's|\("listen": "127.0.0.1\):0"|\1:'"$(ready port)"'"|
               s|\("operator_listen": "127.0.0.1\):0"|\1:'"$(ready operator_port)"'"|'
reach="--server https://localhost:$(ready port) --ca $folder/certificate.pem --token-file $folder"
cat >"$folder/variables" <<SHELL
PORT=$(ready port)
OPERATOR_PORT=$(ready operator_port)
AS_ADMIN="$reach/admin.token"
AS_ANALYST="$reach/analyst.token"
SHELL
say_how_to_reach serves "$1"
