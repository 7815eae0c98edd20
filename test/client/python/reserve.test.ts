import { shared } from '../../http/shared.ts'
import { HELD, historyOf } from '../lab.ts'
import { startPythonLab, inPython as test } from './lab.ts'

/** Each test has a machine of its own. */
const lab = shared((scope) => startPythonLab(scope, 2))

test('a block has host, port, SUT and reservation of a machine that answers, and gives it back', async (t) => {
  const { code, out, errors } = await lab.run(
    t,
    `
import socket
with berth.reserve(match={"sut_type": ["tcp", "vnc"]}, tags={"n": "1"}, minutes=30, reason="build ü") as machine:
    with socket.create_connection((machine.host, machine.port), 20) as peer:
        peer.sendall(b"hello")
        say(peer.recv(5), machine.sut["name"], machine.reservation["sut_id"] == machine.sut["_id"])
try:
    machine.host
except berth.Lost as error:
    say(error, error.exit_code)
say(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)
`,
  ).ended
  t.deepEqual([code, out], [0, "b'hello' lab-1 True\nthe machine was given back 76\nTrue\n"], errors)
  t.regex(errors, /^berth: reserved lab-1 until \S+, reservation [0-9a-f]{24}\n$/)
  t.deepEqual(await historyOf(lab, 1), HELD)
})

test('refusals and mistakes are exceptions with code, status and details, and none shows the token', async (t) => {
  const { code, out, errors } = await lab.run(
    t,
    `
def refused(call, *args, **more):
    try:
        call(*args, **more)
    except berth.Error as error:
        say(type(error).__name__, error.exit_code, error.code, error.status, error)
        return error
shown = [
    refused(berth.reserve, {"os": "none"}, minutes=15),
    refused(berth.reserve, {"sut_type": "tcp"}, minutes=60 * 24 * 400),
    refused(berth.api, "GET", "/api/events"),
    refused(berth.api, "GET", "/api/sut/" + "0" * 24),
    refused(berth.api, "GET", "//elsewhere/a b"),
    refused(berth.reserve, minutes=1),
    refused(berth.reserve, {"sut_type": "tcp"}, minutes=1, wait="soon"),
]
say(len(shown[1].details["errors"]), shown[1].title)
os.environ["BERTH_TOKEN"] = "berth_" + "x" * 43
shown.append(refused(berth.reserve, {"sut_type": "tcp"}, minutes=15))
say(any(os.environ["BERTH_TOKEN"] in f"{error!r} {error} {error.__dict__}" for error in shown))
`,
  ).ended
  t.is(code, 0, errors)
  t.deepEqual(
    out.split('\n').map((line) => line.replace(/: .*/, '')),
    [
      ...['Refused 77 no_sut_matches 422 422 no_sut_matches', 'Refused 77 window_too_long 422 422 window_too_long'],
      ...['Refused 77 forbidden 403 403 forbidden', 'Refused 77 sut_not_found 404 404 sut_not_found'],
      'Misuse 64 None None path must begin with / and be percent-encoded, like /api/sut?os=linux',
      'Misuse 64 None None match is missing',
      'Misuse 64 None None wait must be like 30m, 2h or 1h30m',
      ...['1 The window is too long', 'Refused 77 unauthenticated 401 401 unauthenticated', 'False', ''],
    ],
  )
})

test('a wrong argument or variable is a Misuse, and leaves nothing to give back', async (t) => {
  const { code, out, errors } = await lab.run(
    t,
    `
berth.LIMITS.outage = 0
def misused(call, *args, **more):
    try:
        call(*args, **more)
    except berth.Misuse as error:
        say(error)
none = {"match": {"os": "none"}, "minutes": 15}
for wrong in (
    *({"minutes": value} for value in ("x", None, float("nan"))), {"wait": None}, {"extend": "0s"},
    *({"match": value} for value in ("os=linux", {"os": object()})), {"tags": "x"}, {"without": 5},
    {"reason": 5}, {"reason": "\\ud800"},
):
    misused(berth.reserve, **{**none, **wrong})
misused(berth.api, "POST", "/api/user/create", {"name": {1}})
misused(berth.api, "GET", "/api/user/me", headers={"X": "a\\r\\nb"})
misused(list, berth.events("\\ud800"))
for url in ("http://[::1", "http://127.0.0.1:99999", "http://127.0.0.1:abc", "http://a..b"):
    os.environ["BERTH_URL"] = url
    misused(berth.reserve, **none)
say(berth._live)
`,
  ).ended
  t.deepEqual([code, errors], [0, ''])
  const said = out.split('\n').map((line) => line.replace(/ must be like https:.*/, ''))
  const criteria = 'match, tags and without must be like {"os": "linux"}'
  t.deepEqual(said, [
    ...[...Array(3).fill('minutes must be a number, like 30'), 'wait must be like 30m, 2h or 1h30m'],
    ...['extend must be above 0', criteria, 'criteria and priority must be JSON', criteria, criteria],
    ...['reason must be a text', 'reason must be a text', 'body must be JSON', 'method or headers are wrong'],
    ...['filters must be texts', ...Array(4).fill('BERTH_URL'), '[]', ''],
  ])
})
