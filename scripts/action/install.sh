#!/usr/bin/env bash
# Install the coderag of this checkout into an environment of its own, and put it on the path of the next steps.
set -euo pipefail

home="$RUNNER_TEMP/coderag-environment"

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "::error::coderag needs Python 3.11 or newer; add a step with actions/setup-python before this one"
  exit 1
}
python3 -m venv "$home"
"$home/bin/python" -m pip install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH"
echo "$home/bin" >> "$GITHUB_PATH"
