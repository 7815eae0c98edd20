#!/usr/bin/env bash
# with-machine.sh SUT_ID SECONDS COMMAND...
# Runs a command on a reserved machine, and releases it however the command ends. Needs JOB, BERTH_URL, and BERTH_TOKEN
# or BERTH_CREDENTIALS_FILE. The command gets SUT_HOST, SUT_PORT, SUT_ID and RESERVATION_ID. Exits with 75 when the
# machine is taken, with 76 when the reservation of this JOB is not in force, and otherwise as the command does.
set -euo pipefail
SUT_ID=$1 seconds=$2
shift 2
# A token is a name without a password.
credentials=${BERTH_TOKEN:-$(cat "$BERTH_CREDENTIALS_FILE")}
[[ $credentials == *:* ]] || credentials+=:
credentials=${credentials//\\/\\\\}
credentials=${credentials//\"/\\\"}
answer=$(mktemp)
trap 'rm "$answer"' EXIT
# call PATH OPTION...: leaves the answer in a file, which curl empties before it tries again.
call() {
  local path=$1 code
  shift
  for _ in 1 2 3 4 5; do
    code=0
    : > "$answer"
    # Arguments would show the credentials to everybody on this machine.
    curl --silent --show-error --fail-with-body --retry 8 --retry-connrefused --max-time 60 -o "$answer" \
      -K <(printf 'user = "%s"\n' "$credentials") -H 'Content-Type: application/json' \
      "$@" "${BERTH_URL%/}$path" || code=$?
    # The connection broke, perhaps after the request was recorded: while sending, before or in the answer.
    [[ $code =~ ^(18|52|55|56)$ ]] || grep -q '"idempotency_in_progress"' "$answer" || break
    sleep 1
  done
  return "$code"
}
call /api/user/me
window=$(jq --arg sut "$SUT_ID" --argjson seconds "$seconds" \
  '{user_id: ._id, sut_id: $sut, start_in: 0, duration: $seconds}' "$answer")
if ! call /api/sut_reservation/create -H "Idempotency-Key: $JOB" -d "$window" 2> /dev/null; then
  grep -q '"reservation_conflict"' "$answer" || { echo "cannot reserve: $(cat "$answer")" >&2; exit 1; }
  jq -r '.code + ": " + .detail + " Next free window: " + (.next_available.start_time // "none")' "$answer" >&2
  exit 75
fi
RESERVATION_ID=$(jq -r ._id "$answer")
reservation=/api/sut_reservation/$RESERVATION_ID
# One that is over, released or cancelled already is refused.
release() {
  call "$reservation/cancel" -X POST 2> /dev/null || grep -q '"reservation_' "$answer" || cat "$answer" >&2
  rm "$answer"
}
trap release EXIT
# A window begins up to a second after the one before it was released. At once where the port will not open.
for _ in 1 2 3; do
  call "$reservation/connection?wait=30" 2> /dev/null && jq -e .open "$answer" > /dev/null && break
  sleep 1
done
if ! jq -e .open "$answer" > /dev/null; then
  echo "the reservation of this job is not in force: $(cat "$answer")" >&2
  exit 76
fi
SUT_HOST=$(jq -r .host "$answer") SUT_PORT=$(jq -r .port "$answer")
# A job that is retried may run on another machine than before.
jq -e .bound_here "$answer" > /dev/null || call "$reservation/update" -X POST
export SUT_HOST SUT_PORT SUT_ID RESERVATION_ID
# In the background, so that a signal reaches the command at once.
"$@" <&0 &
command=$!
trap 'kill -TERM "$command" 2> /dev/null' TERM INT HUP
code=0
wait "$command" || code=$?
# A signal ends the first wait before the command has ended.
if kill -0 "$command" 2> /dev/null; then
  code=0
  wait "$command" || code=$?
fi
exit "$code"
