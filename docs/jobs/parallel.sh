#!/bin/sh
# The parts of an index by GNU parallel, two at a time here; with --sshloginfile on other machines that have the files.
#     parallel.sh ROOT FOLDER N
set -eu
root=$1 parts=$2 count=$3
seq "$count" | parallel --jobs 2 --halt now,fail=1 \
    coderag index "$root" --part "{}/$count" --out "$parts/{}" --workers 1 --quiet
coderag merge "$parts"/* --root "$root"
