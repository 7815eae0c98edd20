#!/bin/sh
# with-machine.sh MATCH DURATION COMMAND...
# Runs a command on a machine that fits MATCH, criteria as JSON, and gives it back however the command ends. Needs curl
# 7.76, jq 1.6, BERTH_URL, and BERTH_TOKEN or BERTH_CREDENTIALS_FILE. Waits for a machine for WAIT, not at all unless
# set, and extends by EXTEND when less than five minutes are left, if that is set. Durations are like 900, 15m or 1h30m.
# The command gets SUT_HOST, SUT_PORT, SUT_ID and RESERVATION_ID. Exits as the command does, or with 64 (misuse), 69
# (the port does not open), 75 (no machine in time), 76 (no longer in force) or 77 (the service refuses or is away).
set -eu
say() { printf 'berth: %s\n' "$1" | LC_ALL=C tr -cd '\n -~' >&2; }
misused() {
  say "$1"
  echo "usage: BERTH_URL=... BERTH_TOKEN=... $0 MATCH DURATION COMMAND..." >&2
  exit 64
}
[ $# -ge 3 ] || misused 'an argument is missing'
[ -n "${BERTH_URL:-}" ] || misused 'BERTH_URL is not set'
[ -n "${BERTH_TOKEN:-${BERTH_CREDENTIALS_FILE:-}}" ] || misused 'BERTH_TOKEN is not set'
jq -n --rawfile text /dev/null . > /dev/null 2>&1 || misused 'jq 1.6 or later is needed'
curl --fail-with-body --version > /dev/null 2>&1 || misused 'curl 7.76 or later is needed'
seconds() {
  jq -ner --arg text "$1" '$text | select(test("^([0-9]+|([0-9]+[smhd])+)$")) | [scan("([0-9]+)([smhd]?)")
    | (.[0] | tonumber) * {"": 1, s: 1, m: 60, h: 3600, d: 86400}[.[1]]] | add' 2> /dev/null ||
    misused "a duration is like 900, 15m or 1h30m, not $1"
}
keepalive=120 by=''
# Each in a line of its own: of several in one, only the failure of the last ends the script.
duration=$(seconds "$2")
wait=$(seconds "${WAIT:-0}")
[ -z "${EXTEND:-}" ] || by=$(seconds "$EXTEND")
order=$(jq -n --argjson match "$1" --argjson duration "$duration" --argjson wait "$wait" \
  --argjson keepalive "$keepalive" '{$match, $duration, $wait, $keepalive}' 2> /dev/null) ||
  misused 'MATCH must be JSON'
shift 2
# A token is a name without a password.
credentials=${BERTH_TOKEN:-$(cat "$BERTH_CREDENTIALS_FILE" 2> /dev/null)} ||
  misused 'BERTH_CREDENTIALS_FILE cannot be read'
case $credentials in *:*) ;; *) credentials=$credentials: ;; esac
credentials=$(printf %s "$credentials" | sed 's/[\\"]/\\&/g')
folder=$(mktemp -d) answer=$folder/created RESERVATION_ID='' command='' watcher=''

# call PATH OPTION...: leaves the answer in a file, which curl empties before it tries again.
call() {
  # A key of this call alone: a job that is run again gets a machine again, and a repetition extends once.
  key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n') path=$1
  shift
  for _ in 1 2 3 4 5; do
    code=0
    : > "$answer"
    # Arguments would show the credentials to everybody on this machine.
    printf 'user = "%s"\n' "$credentials" | curl --silent --show-error --fail-with-body --retry 8 --retry-connrefused \
      --max-time 60 -o "$answer" -D "$answer.head" -K - -H "Idempotency-Key: $key" -H 'Content-Type: application/json' \
      "$@" "${BERTH_URL%/}$path" 2> "$answer.why" || code=$?
    # The connection broke, perhaps after the request was recorded: while sending, before or in the answer.
    case $code in 18 | 52 | 55 | 56) ;; *) grep -q '"idempotency_in_progress"' "$answer" || break ;; esac
    sleep 1
  done
  if [ "$code" -eq 0 ] && ! jq . "$answer" 2> /dev/null | grep -q '^{'; then
    echo 'what answers is not Berth' > "$answer.why"
    code=1
  fi
  return "$code"
}
why() { jq -r 'select(.code) | .code + ": " + .detail' "$answer" 2> /dev/null | grep . || cat "$answer.why"; }
refused() {
  say "$(why)"
  exit 77
}
lost() {
  grep -q '"reservation_' "$answer" || refused
  say "the reservation is no longer in force: $(why)"
  exit 76
}
# Likewise where the service waits before it answers: a signal does not have to.
await() {
  call "$@" > /dev/null 2>&1 &
  wait "$!"
}
end() {
  trap '' TERM INT HUP
  # Ends what is left of the command, too.
  [ -z "$watcher" ] || { exec 4>&- && wait "$watcher" "$keeper"; } 2> /dev/null || :
  request=$(jq -r 'select(._id) | "/api/sut_request/" + ._id' "$folder/created" 2> /dev/null) || :
  answer=$folder/end
  # A request that was granted meanwhile is refused with its reservation.
  if [ -n "$request" ] && [ -z "$RESERVATION_ID" ]; then
    call "$request/withdraw" -X POST --retry 4 || RESERVATION_ID=$(jq -r '.sut_reservation_id // ""' "$answer")
  fi
  # One that is over, released or cancelled already is refused.
  [ -z "$RESERVATION_ID" ] || call "/api/sut_reservation/$RESERVATION_ID/cancel" -X POST --retry 4 ||
    grep -q '"reservation_' "$answer" || say "the machine cannot be given back: $(why)"
  rm -r "$folder"
}
trap end EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP
if ! call /api/sut_request/create -d "$order"; then
  grep -q '"no_sut_free"' "$answer" || refused
  say "$(why)"
  exit 75
fi
request=/api/sut_request/$(jq -r ._id "$answer")
wait=0
while [ "$(jq -r .status "$answer")" = waiting ]; do
  # Where too many wait, the answer comes at once.
  [ "$wait" -eq 0 ] || sleep 1
  answer=$folder/request
  await "$request?wait=$wait" || refused
  wait=10
  place=$(jq -r 'select(.waits_for) | "number \(.position + 1) in the queue: " + (.waits_for | join(" "))' "$answer")
  [ -z "$place" ] || say "waiting as $place"
done
RESERVATION_ID=$(jq -r '.sut_reservation_id // ""' "$answer")
[ -n "$RESERVATION_ID" ] || { say 'no machine became free in time'; exit 75; }
reservation=/api/sut_reservation/$RESERVATION_ID answer=$folder/answer
await "$reservation" || lost
SUT_ID=$(jq -r .sut_id "$answer")
# Notes when the reservation ends, and when it is released unless it is kept alive. The service's clock decides.
note() {
  left=$(jq -r --rawfile head "$answer.head" --argjson keepalive "$keepalive" '
    def header: "(?i)\n\(.): ([^\r\n]*)" as $line | [$head | scan($line)] | last | first;
    def unix: sub("\\.[0-9]+"; "") | sub("\\+00:00$"; "Z") | fromdate;
    (("date" | header | strptime("%a, %d %b %Y %T GMT") | mktime)? // now) as $now
    | (("keepalive-until" | header | unix)? // $now + $keepalive) as $released
    | [.end_time | unix, $released] | map(. - $now | floor) | join(" ")' "$answer")
  now=$(date +%s)
  ends=$((now + ${left% *})) released=$((now + ${left#* }))
}
note
# A window begins up to a second after the one before it was released. At once where the port will not open.
for _ in 1 2 3; do
  await "$reservation/connection?wait=30" && jq -e .open "$answer" > /dev/null && break
  sleep 1
done
if ! jq -e .open "$answer" > /dev/null; then
  connection=$(cat "$answer")
  await "$reservation/keepalive" -X POST || lost
  say "the port of the machine does not open: $connection"
  exit 69
fi
SUT_HOST=$(jq -r .host "$answer") SUT_PORT=$(jq -r .port "$answer")
jq -e .bound_here "$answer" > /dev/null || await "$reservation/update" -X POST || lost
export SUT_HOST SUT_PORT SUT_ID RESERVATION_ID

extend() {
  call "$reservation/extend" -d "{\"by\":$by}" --retry 0 || [ "$(why)" = "$unextended" ] ||
    say "the reservation cannot be extended: $(why)"
  unextended=$(why)
}
over() {
  echo "$1" > "$folder/over"
  say "$2"
  exit
}
# Keeps the reservation alive, and long enough. However this ends, the command does.
keep() {
  # What is left over of this must hold neither the output open nor the pipe, of which dash keeps copies for a call.
  exec < /dev/null > /dev/null 3<&- 4<&-
  trap '' TERM INT HUP
  trap 'echo > "$folder/pipe"' EXIT
  answer=$folder/kept refusal='' unextended=''
  while :; do
    if call "$reservation/keepalive" -X POST --retry 0 --max-time 10; then
      note
      refusal=''
      rm -f "$folder/over"
      [ -z "$by" ] || [ "${left% *}" -ge 300 ] || extend
    elif grep -q '"reservation_' "$answer"; then
      over 76 "the reservation is no longer in force: $(why)"
    elif [ -z "$refusal" ]; then
      # A service that is down releases nothing. One that refuses a token does.
      refusal=$(jq -r 'select(.status >= 400 and .status < 500 and .status != 429) | .code + ": " + .detail' \
        "$answer" 2> /dev/null) || :
      if [ -n "$refusal" ]; then
        echo 77 > "$folder/over"
        say "$refusal; the command runs on while the reservation is in force"
      fi
    fi
    rest=$((ends - $(date +%s)))
    [ "$rest" -gt 0 ] || over 76 'the reservation is no longer in force: it has ended'
    # The command needs time to end.
    [ -z "$refusal" ] || rest=$((released - 10 - $(date +%s)))
    [ "$rest" -gt 0 ] || over 77 "the reservation can no longer be kept alive: $refusal"
    [ "$rest" -lt 10 ] || rest=10
    # Answered at once when the reservation changes or is over, and where too many wait.
    if call "$reservation?wait=$rest" --retry 0; then rest=1; fi
    sleep "$rest" 2> /dev/null
  done
}

caught='' interrupt=TERM apart=''
# The command ends with all that it has started, in a process group of its own. A terminal would stop one that reads.
if ! (: < /dev/tty) 2> /dev/null; then
  set -m 2> /dev/null
  case $- in
    *m*) interrupt=INT ;;
    *) # dash and BusyBox have job control on a terminal alone, and ignore interrupts in the background.
      for apart in 'env --default-signal=INT,QUIT setsid' setsid ''; do $apart true 2> /dev/null && break; done
      [ "${apart%% *}" != env ] || interrupt=INT
      ;;
  esac
fi
pass() {
  caught=$1
  [ -z "$command" ] || kill -s "$1" -- "-$command" 2> /dev/null || kill -s "$1" "$command" 2> /dev/null || :
}
# Ends the command when keep does, or when this script is gone, also by SIGKILL: then nobody holds the pipe open.
guard='
  trap "" HUP INT QUIT TERM
  signal() { kill -s "$1" -- "-$command" || kill -s "$1" "$command"; }
  keeper=$1 command=$2
  # What the command has left behind has a second.
  read -r _ || { signal 0 && sleep 1; }
  kill -s KILL "$keeper"
  signal TERM
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    signal 0 || exit
    sleep 1
  done
  signal KILL'
mkfifo "$folder/pipe"
trap 'pass TERM' TERM
trap 'pass HUP' HUP
trap 'pass "$interrupt"' INT
# In the background, so that a signal reaches the command at once. It keeps its input, and gets no credentials.
exec 3<&0 4<> "$folder/pipe"
(unset BERTH_TOKEN BERTH_CREDENTIALS_FILE && exec $apart "$@") <&3 3<&- 4<&- &
command=$!
keep &
keeper=$!
$apart sh -c "$guard" sh "$keeper" "$command" < "$folder/pipe" > /dev/null 2>&1 3<&- 4<&- &
watcher=$!
set +m
exec 3<&-
[ -z "$caught" ] || pass "$caught"
code=0
wait "$command" 2> /dev/null || code=$?
# A signal ends the wait before the command has ended.
while [ -n "$caught" ]; do
  caught='' again=0
  wait "$command" 2> /dev/null || again=$?
  [ "$again" -eq 127 ] || code=$again
done
if [ -e "$folder/over" ]; then
  say "the command ended with $code"
  code=$(cat "$folder/over")
fi
exit "$code"
