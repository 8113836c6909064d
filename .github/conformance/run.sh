#!/usr/bin/env bash
# Runs `patchbay conformance`, writes its reports, and appends the table to the summary of the job. Ends with its exit code.
# Environment: see action.yml. PATCHBAY: a command to use instead of the package on npm.
set -uo pipefail

mkdir -p "$REPORTS" || exit 2
if [ -n "${PATCHBAY:-}" ]; then
  read -ra patchbay <<<"$PATCHBAY"
else
  patchbay=(npx --yes "agent-patchbay@${VERSION:-latest}")
fi

# The words are split as a shell splits them, with quotes, and nothing in them is carried out.
words() { xargs printf '%s\0' <<<"$1"; }
arguments=(conformance "$PROTOCOL")
[ -z "${OPTIONS:-}" ] || mapfile -d '' -t -O "${#arguments[@]}" arguments < <(words "$OPTIONS")
[ -z "${KNOWN_FAILING:-}" ] || arguments+=(--known-failing "$KNOWN_FAILING")
arguments+=(--json "$REPORTS/report.json" --junit "$REPORTS/junit.xml" --html "$REPORTS/report.html" --badge "$REPORTS/badge.svg")
if [ -n "${COMMAND:-}" ]; then
  arguments+=(--)
  mapfile -d '' -t -O "${#arguments[@]}" arguments < <(words "$COMMAND")
fi

"${patchbay[@]}" "${arguments[@]}" | tee "$REPORTS/table.txt"
code=${PIPESTATUS[0]}

{
  echo "### Conformance with $PROTOCOL"
  # Four spaces make it a block of code, whatever the peer has sent.
  sed 's/^/    /' "$REPORTS/table.txt"
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
echo "code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
