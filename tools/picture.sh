#!/bin/sh
# Take the picture of the page of a counterexample anew: docs/pictures/counterexample.png. Needs Chromium.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$PWD
leadline=$root/.venv/bin/leadline
cd "$folder"
# A violation ends with exit code 12.
"$leadline" check two-phase-commit -p variant=backup-manager --property consistency --depth 24 \
    --solver cadical --format json --out found.json || [ $? = 12 ]
"$leadline" trace found.json --html found.html
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,800 \
    --screenshot="$root"/docs/pictures/counterexample.png "file://$folder/found.html"
