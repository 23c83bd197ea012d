#!/usr/bin/env bash
# Checks a shared library of the SDK. The library must have the soname SONAME. It may load only the named libraries and
# the runtimes of C and C++. It may export only names of the namespace hearsay or of the C interface.
#
# usage: shared_library.sh FILE SONAME LIBRARY...       (LIBRARY without .so, such as libcrypto)
set -euo pipefail

file=$1
soname=$2
shift 2
status=0
problem() {
  echo "$file: $*"
  status=1
}

dynamic=$(readelf -d "$file")
grep -qF "Library soname: [$soname]" <<<"$dynamic" || problem "has not the soname $soname"
allowed=$(printf '%s|' "$@" 'libstdc\+\+' libm libgcc_s libc 'ld-linux[-a-z0-9_]*')
while read -r needed; do
  grep -qE "^(${allowed%|})\.so" <<<"$needed" || problem "needs $needed"
done < <(sed -nE 's/.*\(NEEDED\).*\[(.*)\].*/\1/p' <<<"$dynamic")
for library in "$@"; do
  grep -qF "[$library.so" <<<"$dynamic" || problem "does not need $library"
done

exported=$(nm -DC --defined-only "$file" | sed -E '/^[0-9a-f]+ A /d; s/^[0-9a-f]+ . //')  # A: the name of a version
grep -q '^hearsay' <<<"$exported" || problem "exports nothing"
foreign=$(grep -vE '^((typeinfo|typeinfo name|vtable|VTT|guard variable) for )?hearsay(::|_)' <<<"$exported" || true)
[[ -z $foreign ]] || problem "exports $foreign"
exit $status
