#!/bin/sh
# with-machine.sh MATCH SECONDS COMMAND...
# Runs a command on a machine that fits MATCH, criteria as JSON, and gives it back however the command ends. Needs curl,
# jq, BERTH_URL, and BERTH_TOKEN or BERTH_CREDENTIALS_FILE. Waits for a machine for WAIT seconds, 0 unless set, and
# extends by EXTEND seconds when less than five minutes are left, if that is set. The command gets SUT_HOST, SUT_PORT,
# SUT_ID and RESERVATION_ID. Exits with 64 when something of this is missing, with 75 when no machine is free in time,
# with 76 when the reservation is no longer in force, with 77 when the service refuses or cannot be reached, and
# otherwise as the command does.
set -eu
if [ $# -lt 3 ] || [ -z "${BERTH_URL:-}" ] || [ -z "${BERTH_TOKEN:-${BERTH_CREDENTIALS_FILE:-}}" ]; then
  echo "usage: BERTH_URL=... BERTH_TOKEN=... $0 MATCH SECONDS COMMAND..." >&2
  exit 64
fi
match=$1 seconds=$2 keepalive=120
shift 2
# A token is a name without a password.
credentials=${BERTH_TOKEN:-$(cat "$BERTH_CREDENTIALS_FILE")}
case $credentials in *:*) ;; *) credentials=$credentials: ;; esac
credentials=$(printf %s "$credentials" | sed 's/[\\"]/\\&/g')
folder=$(mktemp -d) answer=$folder/answer request='' RESERVATION_ID='' command='' keeper=''
say() { printf 'berth: %s\n' "$1" | LC_ALL=C tr -cd '\n -~' >&2; }
# call PATH OPTION...: leaves the answer in a file, which curl empties before it tries again.
call() {
  path=$1
  shift
  for _ in 1 2 3 4 5; do
    code=0
    : > "$answer"
    # Arguments would show the credentials to everybody on this machine.
    printf 'user = "%s"\n' "$credentials" | curl --silent --show-error --fail-with-body --retry 8 --retry-connrefused \
      --max-time 60 -o "$answer" -K - -H 'Content-Type: application/json' "$@" "${BERTH_URL%/}$path" 2> "$folder/why" ||
      code=$?
    # The connection broke, perhaps after the request was recorded: while sending, before or in the answer.
    case $code in 18 | 52 | 55 | 56) ;; *) grep -q '"idempotency_in_progress"' "$answer" || break ;; esac
    sleep 1
  done
  return "$code"
}
why() { jq -er '.code + ": " + .detail' "$answer" 2> /dev/null || cat "$folder/why"; }
end() {
  trap '' TERM INT HUP
  # A shell that has just been started may lose SIGTERM.
  [ -z "$keeper" ] || kill -KILL "$keeper" 2> /dev/null || :
  # A request that was granted meanwhile is refused with its reservation.
  if [ -n "$request" ] && [ -z "$RESERVATION_ID" ]; then
    call "$request/withdraw" -X POST || RESERVATION_ID=$(jq -r '.sut_reservation_id // ""' "$answer")
  fi
  # One that is over, released or cancelled already is refused.
  [ -z "$RESERVATION_ID" ] || call "/api/sut_reservation/$RESERVATION_ID/cancel" -X POST ||
    grep -q '"reservation_' "$answer" || say "the machine cannot be given back: $(why)"
  rm -r "$folder"
}
trap end EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP
# A key of this run alone: a job that is run again gets a machine again.
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
order=$(jq -n --argjson match "$match" --argjson duration "$seconds" --argjson wait "${WAIT:-0}" \
  --argjson keepalive "$keepalive" '{$match, $duration, $wait, $keepalive}')
if ! call /api/sut_request/create -H "Idempotency-Key: $key" -d "$order"; then
  say "$(why)"
  grep -q '"no_sut_free"' "$answer" && exit 75
  exit 77
fi
request=/api/sut_request/$(jq -r ._id "$answer")
wait=0
while [ "$(jq -r .status "$answer")" = waiting ]; do
  call "$request?wait=$wait" || { say "$(why)"; exit 77; }
  wait=10
  place=$(jq -r 'select(.waits_for) | "number \(.position + 1) in the queue: " + (.waits_for | join(" "))' "$answer")
  [ -z "$place" ] || say "waiting as $place"
done
RESERVATION_ID=$(jq -r '.sut_reservation_id // ""' "$answer")
[ -n "$RESERVATION_ID" ] || { say 'no machine became free in time'; exit 75; }
reservation=/api/sut_reservation/$RESERVATION_ID
call "$reservation" && SUT_ID=$(jq -r .sut_id "$answer")
# A window begins up to a second after the one before it was released. At once where the port will not open.
for _ in 1 2 3; do
  call "$reservation/connection?wait=30" && jq -e .open "$answer" > /dev/null && break
  sleep 1
done
jq -e .open "$answer" > /dev/null || { say "the reservation is not in force: $(cat "$answer")"; exit 76; }
SUT_HOST=$(jq -r .host "$answer") SUT_PORT=$(jq -r .port "$answer")
jq -e .bound_here "$answer" > /dev/null || call "$reservation/update" -X POST
export SUT_HOST SUT_PORT SUT_ID RESERVATION_ID
# In the background, so that a signal reaches the command at once. It keeps its input, and gets no credentials.
exec 3<&0
(unset BERTH_TOKEN BERTH_CREDENTIALS_FILE && exec "$@") <&3 &
command=$!
keep() {
  answer=$folder/kept
  # A sleep that is left over must not hold the output open.
  while sleep 10 > /dev/null 2>&1; do
    if ! call "$reservation/keepalive" -X POST; then
      # Only a refusal means that it is over: a service that is down releases nothing.
      grep -q '"reservation_' "$answer" || continue
      touch "$folder/lost"
      kill -TERM "$command"
      sleep 10
      kill -KILL "$command"
      return
    fi
    left=$(jq '(.end_time | sub("\\+00:00$"; "Z") | fromdate) - now | floor' "$answer")
    [ -z "${EXTEND:-}" ] || [ "$left" -ge 300 ] || call "$reservation/extend" -d "{\"by\":$EXTEND}" || say "$(why)"
  done
}
keep < /dev/null 3<&- &
keeper=$!
trap 'kill -TERM "$command" 2> /dev/null' TERM INT HUP
code=0
wait "$command" || code=$?
# A signal ends the first wait before the command has ended.
if kill -0 "$command" 2> /dev/null; then
  code=0
  wait "$command" || code=$?
fi
[ ! -e "$folder/lost" ] || { say 'the reservation is no longer in force'; code=76; }
exit "$code"
