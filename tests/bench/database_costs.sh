# Functions that measure the cost of a load. Source this file after examples/high_availability/postgres.sh.

# Prints the processor seconds that a PostgreSQL server used, with those of its ended children.
database_cpu() {
  local process ticks=0
  for process in $(processes_of "$1"); do
    ticks=$((ticks + $(sed 's/.*) //' "/proc/$process/stat" 2>/dev/null | awk '{printf "%d", $12 + $13}')))
  done
  process=$(processes_of "$1" | head -1)
  ticks=$((ticks + $(sed 's/.*) //' "/proc/$process/stat" | awk '{printf "%d", $14 + $15}')))
  awk -v t="$ticks" -v hz="$(getconf CLK_TCK)" 'BEGIN {print t / hz}'
}
# number NAME: prints the number NAME of the generator's last results, $work/load.json.
number() { grep -oE "\"$1\": ?[0-9.e+-]+" "$work/load.json" | head -1 | sed 's/.*: *//'; }
