#!/usr/bin/env bash
# Prints how many bytes the SDK adds to a stripped host program that links it statically. Fails if a program reaches its
# limit.
#
# usage: size_limits.sh DIRECTORY      (programs of tests/install/outside, built with optimisation for size)
set -euo pipefail

directory=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stripped_size() {
  strip -o "$work/$1" "$directory/$1"
  stat -c %s "$work/$1"
}

host=$(stripped_size empty_host)
status=0
# check NAME PROGRAM LIMIT
check() {
  local added=$(($(stripped_size "$2") - host))
  echo "$1 adds $added bytes; the limit is $3"
  ((added < $3)) || status=1
}
check "the randomizing core" report_from_core 400000
check "the client" report_once 1500000
exit $status
