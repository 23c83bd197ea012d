#!/usr/bin/env bash
# Runs a PostgreSQL server on this machine, to try things out: an empty database with a role that owns it, on loopback.
# When you end the script, it ends the server and removes all data.
#
# usage: examples/trial_database.sh URI_FILE      writes the database's URI to URI_FILE when the server is ready
set -euo pipefail
[[ $# -eq 1 && $1 != -* ]] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2; }
uri_file=$(realpath "$1")
cd "$(dirname "$0")"

source balancer/servers.sh
source high_availability/postgres.sh
source high_availability/cluster.sh
trap 'trap "" TERM INT; stop_all; stop_postgres db1; rm -rf "$work" "$databases"' EXIT
trap exit TERM INT
database_ports=([db1]=$(free_port))
start_primary db1
echo "postgresql://hearsay@127.0.0.1:${database_ports[db1]}/hearsay?passfile=$work/pgpass" >"$uri_file"
sleep infinity &
wait || true
