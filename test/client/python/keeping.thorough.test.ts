import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shared } from '../../http/shared.ts'
import { until } from '../../http/until.ts'
import { HELD, historyOf } from '../lab.ts'
import { startPythonLab, takeAway, inPython as test } from './lab.ts'

/** Each test has a machine of its own. */
const lab = shared((scope) => startPythonLab(scope, 10))

const mine = (n: number): string => `tags={"n": "${n}"}, minutes=15`
const as = (name: string) => lab.service.as(name)

const isWaiting = async (n: number): Promise<boolean> =>
  (await as('admin').get(`/api/sut_request?status=waiting&sut_id=${lab.suts[n - 1]}`)).json.count === 1

test('a machine that is lost is said at once, by the next look at it and by the end of the block', async (t) => {
  const running = lab.run(
    t,
    `
berth.LIMITS.keep = 10
try:
    with berth.reserve(${mine(1)}) as machine:
        say("begun")
        machine.lost.wait()
        for look in (machine.check, lambda: machine.host, lambda: machine.port):
            try:
                look()
            except berth.Lost as error:
                say(error, error.code)
        raise ConnectionResetError("by peer")
except berth.Lost as error:
    say(repr(error.__cause__), error.exit_code)
`,
  )
  await running.said('begun')
  await takeAway(lab, 1)
  const { out, errors } = await running.ended
  const [, lost = '', ...rest] = out.trim().split('\n')
  t.regex(lost, /^the reservation is no longer in force: .* reservation_(over|cancelled)$/, errors)
  t.deepEqual(rest, [lost, lost, "ConnectionResetError('by peer') 76"])
  t.deepEqual(await historyOf(lab, 1), HELD)
})

test('a block that takes longer than its time is extended, and one that fails gives back', async (t) => {
  const script = `
berth.LIMITS.extend = 3600
with berth.reserve(${mine(2)}, extend="15m") as machine:
    end = machine.reservation["end_time"]
    while machine.reservation["end_time"] == end:
        time.sleep(0.01)
    berth.LIMITS.extend = 0
    raise KeyError("mine")
`
  const { code, errors } = await lab.run(t, script).ended
  t.is(code, 1)
  t.regex(errors, /KeyError: 'mine'\n$/)
  const [created, ...extended] = await historyOf(lab, 2)
  t.deepEqual([created, extended.at(-1)], HELD)
  t.true(extended.length > 1 && extended.slice(0, -1).every((type) => type === 'ReservationExtended'))
})

test('SIGTERM gives the machine back and ends the program as it would without', async (t) => {
  // Another that cannot be given back does not matter.
  const script = `
with berth.reserve(${mine(3)}), berth.reserve(${mine(10)}) as stuck:
    def fail(): raise OSError("no disk")
    stuck.release = fail
    say("begun"); time.sleep(600)
`
  const running = lab.run(t, script)
  await running.said('begun')
  running.child.kill('SIGTERM')
  await running.ended
  t.is(running.child.signalCode, 'SIGTERM')
  t.deepEqual(await historyOf(lab, 3), HELD)
})

test("a program's own handler decides what SIGTERM does, and has its place again after the block", async (t) => {
  const running = lab.run(
    t,
    `
told = threading.Event()
def own(*_): say("told"); told.set()
signal.signal(signal.SIGTERM, own)
with berth.reserve(${mine(4)}) as machine:
    say("begun")
    told.wait()
    say(machine.port > 0)
say(signal.getsignal(signal.SIGTERM) is own)
`,
  )
  await running.said('begun')
  running.child.kill('SIGTERM')
  t.like(await running.ended, { code: 0, out: 'begun\ntold\nTrue\nTrue\n' })
  t.deepEqual(await historyOf(lab, 4), HELD)
})

test('one who is interrupted while it waits, or ends by SIGTERM, is no longer in the queue', async (t) => {
  const held = { sut_id: lab.suts[4], start_in: 0, duration: 900 }
  const { _id } = (await as('admin').post('/api/sut_reservation/create', held)).json
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const waiting = lab.run(t, `with berth.reserve(${mine(5)}, wait="1h"): say("begun")`)
    await waiting.said('berth: waiting as number 1 in the queue')
    t.true(await isWaiting(5))
    waiting.child.kill(signal)
    const { out, errors } = await waiting.ended
    t.is(out, '')
    t.true(signal === 'SIGTERM' || errors.endsWith('KeyboardInterrupt\n'), errors)
    t.false(await isWaiting(5))
  }
  const later = lab.run(t, `with berth.reserve(${mine(5)}, wait="1h"): say("begun")`)
  await later.said('in the queue')
  await as('admin').post(`/api/sut_reservation/${_id}/cancel`, {})
  t.like(await later.ended, { code: 0, out: 'begun\n' })
  await as('admin').post('/api/sut_reservation/create', held)
  const vain = lab.run(t, `berth.reserve(${mine(5)}, wait=1)`)
  t.regex((await vain.ended).errors, /NoMachine: no machine became free in time\n$/)
})

test('what is reserved without a block is given back at the end of the program, and in a thread of it', async (t) => {
  const script = `
def work(): berth.reserve(${mine(6)}); say("begun")
thread = threading.Thread(target=work); thread.start(); thread.join()
`
  t.like(await lab.run(t, script).ended, { code: 0, out: 'begun\n' })
  t.deepEqual(await historyOf(lab, 6), HELD)
})

test('a forked child gives nothing back, neither at its end nor at SIGTERM', async (t) => {
  const script = `
with berth.reserve(${mine(7)}) as machine:
    for end in (lambda: sys.exit(3), lambda: os.kill(os.getpid(), signal.SIGTERM)):
        child = os.fork()
        if child == 0:
            assert machine.port > 0
            machine.release()
            end()
        say(os.waitpid(child, 0)[1])
    machine.check()
    say(berth.api("GET", "/api/sut_reservation/" + machine.reservation["_id"] + "?include=state")["state"])
`
  const { out, errors } = await lab.run(t, script).ended
  t.deepEqual(out.split('\n'), [`${3 * 256}`, '15', 'running', ''], errors)
  t.deepEqual(await historyOf(lab, 7), HELD)
})

test('a token that is revoked costs nothing at once, and the end of the block says so', async (t) => {
  const { _id, token } = (await as('alice').post('/api/user/me/token', { name: 'short' })).json
  const script = `
with berth.reserve(${mine(8)}, keepalive="30s") as machine:
    say("begun")
    while not os.path.exists("revoked"): time.sleep(0.05)
`
  const running = lab.run(t, script, { env: { BERTH_TOKEN: String(token) } })
  await running.said('begun')
  t.is((await as('alice').post(`/api/user/me/token/${_id}/revoke`, {})).status, 200)
  await running.said('the machine is yours for')
  await writeFile(join(lab.folder, 'revoked'), '')
  const { errors } = await running.ended
  t.regex(errors, /\nberth\.Refused: the block has ended, but the service refuses: 401 unauthenticated: [^\n]*\n$/)
  t.regex(errors, /berth: the machine cannot be given back: 401 unauthenticated: .*; it is free by itself in 30 s\n/)
  t.false(errors.includes(String(token)))
  t.deepEqual(await historyOf(lab, 8), ['ReservationCreated'])
})

test('a program that is killed loses its machine to the next one who waits', async (t) => {
  const first = lab.run(t, `with berth.reserve(${mine(9)}, keepalive=30): say("begun"); time.sleep(600)`)
  await first.said('begun')
  first.child.kill('SIGKILL')
  await first.ended
  const next = lab.run(t, `with berth.reserve(${mine(9)}, wait="1h"): say("mine")`)
  t.like(await next.ended, { code: 0, out: 'mine\n' })
  await until('both were given back', async () => (await historyOf(lab, 9)).length === 4, 60_000)
})
