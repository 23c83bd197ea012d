# Functions that write task documents for the load generator. Source this file.

# write_task FILE SCHEMA ARRANGEMENT CHANNEL: writes a task for the days around today.
write_task() {
  local day=86400
  local today=$(($(date +%s) / day * day))
  cat >"$1" <<JSON
{"version": 2, "title": "load", "schema": $2, "arrangement": $3, "channel": $4, "epsilon": "1",
 "task_start": $((today - day)), "task_duration": $((4 * day)), "time_precision": $day, "min_batch_size": 1}
JSON
}
# booleans N: prints a schema of N booleans.
booleans() { seq -s, -f '{"name": "a%g", "type": "boolean"}' 1 "$1" | sed 's/.*/[&]/'; }
