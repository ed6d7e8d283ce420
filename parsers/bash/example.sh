#!/usr/bin/env bash
# Backs up a folder — «naïvely», but atomically.
#
# Usage: backup.sh [-n] SOURCE TARGET

set -euo pipefail

source "$(dirname "$0")/lib/log.sh"
. ./colors.sh

# Where the backups go.
BACKUP_ROOT="${BACKUP_ROOT:-/var/backups}"
readonly VERSION=1.4 RETRIES=3
declare -A AGES=([daily]=7 [weekly]=31)
export LC_ALL=C
EXCLUDED=(
  .git
  node_modules
)
EXCLUDED+=(target)
AGES[monthly]=365

alias ll='ls -l'
alias gs="git status" gd="git diff"

# Prints a message to stderr and ends the script.
# Arguments:
#   $1 - the message
die() {
  local message=$1
  printf '%s\n' "$message" >&2
  exit "${2:-1}"
}

function usage {
  cat <<EOF
usage() { this is text; }
  $(basename "$0") SOURCE TARGET
EOF
}

# Runs a command until it succeeds.
function retry() {
  local count=0
  until "$@"; do
    ((++count < RETRIES)) || return 1
    sleep "$count"
  done
}

log::info() { echo "ℹ $*"; }
log::warn() { echo "⚠ $*" >&2; }; quiet() { "$@" >/dev/null; }

# In a subshell, so that `cd` stays in it.
size-of() (
  cd "$1" && du -s . | cut -f1
)

is_empty () [[ -z "$(ls -A "$1")" ]]

_oddly_formatted   (  )
{
	if [ -d "$1" ] ; then log::info found
	else die missing ; fi
}

# shellcheck disable=SC2034
backup() {
  local source="$1" target="$2"
  cleanup() {
    rm -rf -- "$target.part"
  }
  trap cleanup EXIT
  retry rsync -a "${EXCLUDED[@]/#/--exclude=}" "$source/" "$target.part" |
    tee -a "$BACKUP_ROOT/log" || die "rsync failed"
  mv -- "$target.part" "$target"
}

if command -v pv >/dev/null; then
  PROGRESS=pv
  progress() { pv -s "$(size-of "$1")"; }
else
  progress() { cat; }
fi

[[ -n "${DEBUG:-}" ]] && TRACE=1

main() {
  while getopts "nh" option; do
    case "$option" in
      n) DRY_RUN=1 ;;
      h) usage; exit ;;
      *) die "unknown option" 2 ;;
    esac
  done
  shift $((OPTIND - 1))
  is_empty "$1" || backup "$@"
}

main "$@"
