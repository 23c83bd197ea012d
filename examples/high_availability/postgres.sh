# Functions for two PostgreSQL servers on loopback: a primary and its synchronous standby. Source this file after
# servers.sh. Sets the variables databases (the servers' folder, which belongs to PostgreSQL's user) and database_ports
# (by server).

postgres_bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
databases=$(mktemp -d)
declare -A database_ports

# PostgreSQL does not run as root.
if [[ $EUID -eq 0 ]]; then
  chown postgres "$databases"
  as_postgres() { runuser -u postgres -- env -C "$databases" "$@"; }
else
  as_postgres() { env -C "$databases" "$@"; }
fi

# sql SERVER TEXT [DATABASE]: runs the statement as the superuser, through the server's socket.
sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$databases" -p "${database_ports[$1]}" -U postgres -d "${3:-postgres}" -c "$2"; }

# make_primary SERVER: makes a server's files. DATABASE_SETTINGS may hold further lines of its configuration.
# synchronous_standby_names stays empty until a standby follows.
make_primary() {
  as_postgres "$postgres_bin/initdb" -D "$databases/$1" -U postgres --auth-local=trust --auth-host=scram-sha-256 \
    --no-instructions >"$work/initdb.log"
  as_postgres tee -a "$databases/$1/postgresql.conf" >/dev/null <<CONFIG
listen_addresses = '127.0.0.1'
unix_socket_directories = '$databases'
shared_buffers = 64MB
wal_keep_size = 256MB
${DATABASE_SETTINGS:-}
CONFIG
}

# start_postgres SERVER: starts a server in the role that it had before, primary or standby.
start_postgres() {
  as_postgres "$postgres_bin/pg_ctl" -D "$databases/$1" -o "-p ${database_ports[$1]}" -l "$databases/$1.log" -w -t 600 start \
    >>"$work/pg_ctl.log" 2>&1 || { tail -20 "$databases/$1.log" >&2; fail "PostgreSQL $1 does not start"; }
}
stop_postgres() { as_postgres "$postgres_bin/pg_ctl" -D "$databases/$1" -m immediate stop >>"$work/pg_ctl.log" 2>&1 || true; }

# processes_of SERVER: prints the pids of the server and its children; nothing if the server does not run. The pid in
# postmaster.pid may be left from an earlier run, so the function also compares the process's working directory.
processes_of() {
  local server
  server=$(as_postgres head -1 "$databases/$1/postmaster.pid" 2>/dev/null) || return 0
  [[ $(readlink "/proc/$server/cwd") == "$databases/$1" ]] || return 0
  echo "$server"
  pgrep -P "$server" || true
}
# signal_postgres SERVER SIGNAL: sends the signal to the server and its children.
signal_postgres() {
  local processes
  processes=$(processes_of "$1")
  # shellcheck disable=SC2086
  kill "-$2" $processes 2>/dev/null || true
}
# kill_postgres SERVER: kills the server with kill -9, and waits until none of its processes is left.
kill_postgres() {
  local processes process
  processes=$(processes_of "$1")
  # shellcheck disable=SC2086
  kill -KILL $processes 2>/dev/null || true
  for process in $processes; do
    until_true "PostgreSQL $1 does not end" eval "! kill -0 $process"
  done
}

# follow STANDBY PRIMARY: makes and starts the standby. From then on the primary waits for the standby at each commit.
follow() {
  rm -rf "${databases:?}/$1"
  as_postgres "$postgres_bin/pg_basebackup" -D "$databases/$1" -R -X stream --checkpoint=fast \
    -d "host=$databases port=${database_ports[$2]} user=postgres application_name=$1" >>"$work/pg_ctl.log" 2>&1 ||
    fail "the standby $1 cannot be made"
  start_postgres "$1"
  until_true "the standby $1 does not follow" follows "$1" "$2"
  sql "$2" "ALTER SYSTEM SET synchronous_standby_names = '$1'"
  sql "$2" "SELECT pg_reload_conf()" >/dev/null
  until_true "the standby $1 is not synchronous" is_synchronous "$1" "$2"
}
follows() { [[ $(sql "$2" "SELECT state FROM pg_stat_replication WHERE application_name = '$1'") == streaming ]]; }
is_synchronous() { [[ $(sql "$2" "SELECT sync_state FROM pg_stat_replication WHERE application_name = '$1'") == sync ]]; }

# promote SERVER: makes the standby the primary. Until follow() makes a new standby, the new primary waits for no
# standby.
promote() {
  as_postgres "$postgres_bin/pg_ctl" -D "$databases/$1" -w -t 600 promote >>"$work/pg_ctl.log" 2>&1 ||
    fail "PostgreSQL $1 cannot be promoted"
  sql "$1" "ALTER SYSTEM SET synchronous_standby_names = ''"
  sql "$1" "SELECT pg_reload_conf()" >/dev/null
}
