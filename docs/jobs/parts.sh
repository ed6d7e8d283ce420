#!/bin/sh
# The parts of an index one after another, and the whole of them: what every job file beside this does elsewhere.
#     parts.sh ROOT FOLDER N
set -eu
root=$1 parts=$2 count=$3
for number in $(seq "$count"); do
    coderag index "$root" --part "$number/$count" --out "$parts/$number" --quiet
done
coderag merge "$parts"/* --root "$root"
