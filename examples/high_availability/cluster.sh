# Functions that start two PostgreSQL servers, two daemons and HAProxy. Source this file after servers.sh and
# postgres.sh. Sets the variables uri, front (HAProxy's port), primary, standby, daemon_pids (by name) and haproxy_pid.

declare -A daemon_pids

stop_cluster() {
  stop_all
  local server
  for server in "${!database_ports[@]}"; do
    signal_postgres "$server" CONT
    stop_postgres "$server"
  done
  rm -rf "$work" "$databases"
}

# start_primary SERVER: makes and starts the primary, with an empty database. The role owns only this database. The
# role's password is in the file pgpass, which only the file's owner may read.
start_primary() {
  local password
  primary=$1
  make_primary "$primary"
  start_postgres "$primary"
  password=$(openssl rand -hex 16)
  sql "$primary" "CREATE ROLE hearsay LOGIN PASSWORD '$password'"
  sql "$primary" "CREATE DATABASE hearsay OWNER hearsay"
  (umask 077 && echo "127.0.0.1:*:hearsay:hearsay:$password" >"$work/pgpass")
}

start_databases() {
  standby=db2
  database_ports=([db1]=$(free_port) [db2]=$(free_port))
  start_primary db1
  uri="postgresql://hearsay@127.0.0.1:${database_ports[db1]},127.0.0.1:${database_ports[db2]}/hearsay"
  uri+="?target_session_attrs=read-write&passfile=$work/pgpass"
  follow "$standby" "$primary"
  "$bin/aggregator/cli/hearsay" store migrate "$uri" >"$work/migrate.log"
}

start_cluster() {
  local name
  front=$(free_port)
  make_credentials
  start_databases
  declare -gA ports=([a]=$(free_port) [b]=$(free_port)) operator_ports=([a]=$(free_port) [b]=$(free_port))
  for name in a b; do
    configure_daemon "$name" "$uri" "${ports[$name]}" "${operator_ports[$name]}" "${EXTRA_CONFIG:-}"
    start_daemon "$name"
    daemon_pids[$name]=$daemon_pid
  done
  configure_haproxy "$front" "a:${ports[a]}:${operator_ports[a]}" "b:${ports[b]}:${operator_ports[b]}"
  start_haproxy
  until_true "HAProxy does not reach a daemon" list_tasks
}

list_tasks() {
  curl -sS --fail --cacert "$work/certificate.pem" -H "Authorization: Bearer $(cat "$work/token")" \
    "https://localhost:$front/v1/tasks"
}

# create_task FILE: creates the task of this document on a daemon.
create_task() {
  curl -sS --fail-with-body --cacert "$work/certificate.pem" -H "Authorization: Bearer $(cat "$work/token")" \
    -H 'Content-Type: application/json' --data-binary "@$1" "https://localhost:$front/v1/tasks" >/dev/null
}

# counted: prints the number of reports that all tallies in the database count.
counted() { "$bin/aggregator/cli/hearsay" status -o json "$uri" | sed -n 's/.*"counted_reports": \([0-9]*\).*/\1/p'; }

# fail_over: kills the primary and promotes the standby. Swaps the variables `primary` and `standby`.
fail_over() {
  local former=$primary
  kill_postgres "$primary"
  promote "$standby"
  primary=$standby
  standby=$former
}
