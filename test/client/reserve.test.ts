import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { shared } from '../http/shared.ts'
import { until } from '../http/until.ts'
import { HELD, historyOf, hold, reserving, runFile, runHere, startLab } from './lab.ts'

/** Each test has a machine of its own. */
const lab = shared((scope) => startLab(scope, 5))

/** Says something to the machine, and prints what it answers. */
const TALK = 'exec 3<> /dev/tcp/$SUT_HOST/$SUT_PORT; echo "$SUT_ID $RESERVATION_ID" >&3; head -n 1 <&3'
const bash = (script: string): readonly string[] => ['--', 'bash', '--norc', '-c', script]

/** Whether a server could begin to listen. */
const listens = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })

test('COMMAND gets its input, a machine that it reaches, and no credentials; its code is passed on', async (t) => {
  const script = `${TALK}; cat; env | grep ^BERTH_; exit 3`
  const { code, out, errors } = await runFile(t, lab, reserving(1, ...bash(script)), 'typed\n').ended
  const [answer = '', ...rest] = out.split('\n')
  const [sut, reservation = ''] = answer.split(' ')
  t.deepEqual([code, sut, rest], [3, lab.suts[0], ['typed', `BERTH_URL=${lab.service.url}`, '']])
  t.regex(errors, new RegExp(`^berth: reserved lab-1 until \\S+, reservation ${reservation}\\n$`))
  t.deepEqual(await historyOf(lab, 1), HELD)
})

test('a signal is passed on to COMMAND, and the machine is given back', async (t) => {
  const script = 'trap "echo ending; exit 7" TERM; echo begun; while :; do sleep 0.05; done'
  const running = runFile(t, lab, reserving(2, ...bash(script)))
  await running.said('begun')
  running.child.kill('SIGTERM')
  t.like(await running.ended, { code: 7, out: 'begun\nending\n' })
  t.deepEqual(await historyOf(lab, 2), HELD)
})

test('thorough: a signal that ends COMMAND, or comes before it, is in the exit code, and the machine is given back', async (t) => {
  t.is((await runHere(reserving(3, '--', 'sh', '-c', 'kill -9 $$'), lab.env)).code, 137)
  // Another program has the port, which then does not open.
  const { json } = await lab.service.as('admin').get(`/api/sut_reservation?sut_id=${lab.suts[2]}`)
  const [{ listen_port }] = json.sut_reservations as [{ listen_port: number }]
  const other = createServer()
  t.teardown(() => void other.close())
  await until('the port is free', () => listens(other, listen_port), 60_000)
  const early = runFile(t, lab, reserving(3, '--', 'echo', 'begun'))
  await early.said(
    `the port ${listen_port} of the machine is not open yet: another program on the machine of the service`,
  )
  early.child.kill('SIGTERM')
  t.like(await early.ended, { code: 143, out: '' })
  t.deepEqual(await historyOf(lab, 3), [...HELD, ...HELD])
})

test('when the reservation is over, all that COMMAND has started ends at once, and the exit code is 76', async (t) => {
  const begun = join(lab.folder, 'begun')
  const stubborn = `trap 'echo ending >> ${begun}' TERM; echo $RESERVATION_ID > ${begun}; while :; do sleep 0.05; done`
  // It is not looked at for ten minutes: only the read that waits can tell.
  const limits = { killMs: 300, keepMs: 600_000 }
  const line = reserving(4, '--keepalive', '40m', ...bash(`(${stubborn}) & wait; wait`))
  const running = runHere(line, lab.env, limits)
  const read = () => readFile(begun, 'utf8').catch(() => '')
  await until('COMMAND has begun', async () => (await read()).endsWith('\n'), 60_000)
  const id = (await read()).trim()
  t.is((await lab.service.as('admin').post(`/api/sut_reservation/${id}/cancel`, {})).status, 200)
  const { code, errors } = await running
  t.is(code, 76)
  t.regex(errors, /\nberth: the reservation is no longer in force: The reservation has been released by admin\.\n$/)
  t.is(await read(), `${id}\nending\n`)
})

test('a reservation is kept alive for two minutes, or as said, and extended when little is left', async (t) => {
  await lab.service.as('admin').post(`/api/sut/${lab.suts[4]}/update`, { release_unused_after: 300 })
  const { code, errors } = await runHere(reserving(5, '--', 'true'), lab.env)
  t.is(code, 0)
  t.regex(errors, /\nberth: the machine is released at 20\S+Z unless somebody has connected by then\n$/)
  const options = ['--keepalive', '45s', '--extend', '15m']
  const release = await hold(t, lab, 5, { options, limits: { extendMs: 2_700_000 } })
  await until('it is extended', async () => (await historyOf(lab, 5)).includes('ReservationExtended'), 60_000)
  t.is((await release()).code, 0)
  t.deepEqual(await historyOf(lab, 5, ({ keepalive }) => keepalive), [120, 45])
})
