#!/usr/bin/env bash
# What the change touches, to files, to the summary of the step and to its outputs.
set -euo pipefail

out="$RUNNER_TEMP/coderag-impact"
mkdir -p "$out"

# Git refuses a checkout that another user owns, as in a container; this one is what the workflow is about.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'

has() { git -C "$INPUT_ROOT" rev-parse --verify --quiet --end-of-options "$1^{commit}" > /dev/null; }

if [[ -n "$INPUT_BASE" ]]; then
  base="$INPUT_BASE"
elif [[ -n "$PULL_BASE" ]] && has 'HEAD^2'; then
  base='HEAD^1' # the checkout of a pull request is its merge into this commit
else
  base="${PULL_BASE:-HEAD~1}"
fi

if ! has "$base"; then
  if [[ "$base" == -* ]] || ! git -C "$INPUT_ROOT" fetch --quiet --no-tags --depth=1 origin "$base"; then
    echo "::error::the base $(printf '%q' "$base") is no revision that is here or can be fetched"
    exit 2
  fi
  has "$base" || base=FETCH_HEAD
fi
range="$base...HEAD"
if ! git -C "$INPUT_ROOT" merge-base --end-of-options "$base" HEAD > /dev/null 2>&1; then
  git -C "$INPUT_ROOT" fetch --quiet --no-tags --unshallow origin || true
  # Without a common ancestor, both ends are compared as they are.
  git -C "$INPUT_ROOT" merge-base --end-of-options "$base" HEAD > /dev/null 2>&1 || range="$base..HEAD"
fi

impact() { # FORMAT FILE: 0 something changed, 1 nothing that the index knows
  coderag impact "--diff=$range" --root "$INPUT_ROOT" --index "$out/index" --depth "$INPUT_DEPTH" \
    --format "$1" --all > "$out/$2"
}

changed=true
impact markdown impact.md || { code=$?; [[ $code -eq 1 ]] || exit "$code"; changed=false; }
impact sarif impact.sarif || [[ $? -eq 1 ]]
impact json impact.json || [[ $? -eq 1 ]]

cat "$out/impact.md" >> "$GITHUB_STEP_SUMMARY"
{
  echo "markdown=$out/impact.md"
  echo "sarif=$out/impact.sarif"
  echo "json=$out/impact.json"
  echo "changed=$changed"
} >> "$GITHUB_OUTPUT"
