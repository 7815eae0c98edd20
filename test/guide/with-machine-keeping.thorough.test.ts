import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type Handle, refuse, startProxy } from '../client/proxy.ts'
import { until } from '../http/until.ts'
import { ANY, run, SCRIPT, startScriptLab } from './script-lab.ts'

/** When the service answers, by its own clock, which is years ahead of this machine's. */
const NOW = Date.parse('2030-05-02T06:11:00Z')
const formatted = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString()

/** Answers that the reservation ends, and is released, so many seconds from now. */
const keeps = (ends: number, released: number) => (): Handle => (req, res) => {
  req.resume()
  const head = { Date: new Date(NOW).toUTCString(), 'Keepalive-Until': formatted(released) }
  const end_time = formatted(ends).replace('.000Z', '+00:00')
  res.writeHead(200, { 'Content-Type': 'application/json', ...head }).end(JSON.stringify({ end_time }))
}

/** Runs a command that ends when a file is there, by a script that looks each second, where keeping alive is answered so. */
const runKept = async (
  t: ExecutionContext,
  first: readonly ((port: number) => Handle)[],
  env: NodeJS.ProcessEnv = {},
) => {
  const lab = await startScriptLab(t)
  const proxy = await startProxy(t, lab.service.port, '/keepalive', first)
  const [file, done] = [join(lab.folder, 'with-machine.sh'), join(lab.folder, 'done')]
  await writeFile(file, SCRIPT.replace('|| rest=10', '|| rest=1'))
  const alice = lab.service.as('alice')
  const token = (await alice.post('/api/user/me/token', { name: 'nightly' })).json
  const { BERTH_CREDENTIALS_FILE: _, ...rest } = lab.env
  const pipeline = { ...rest, BERTH_URL: proxy.url, BERTH_TOKEN: String(token.token), ...env }
  const command = `echo begun; until [ -e ${done} ]; do sleep 0.1; done; exit 3`
  const running = run(t, [ANY, '30m', 'sh', '-c', command], pipeline, { file })
  await running.said('begun')
  return {
    ...running,
    lab,
    keptAlive: proxy.count,
    finish: () => writeFile(done, ''),
    revoke: () => alice.post(`/api/user/me/token/${token._id}/revoke`, {}),
  }
}

test('a token that ends while the command runs lets it run on while the reservation is in force, and exits with 77', async (t) => {
  const { revoke, said, finish, ended } = await runKept(t, [])
  await revoke()
  await said('runs on')
  await finish()
  const { code, errors } = await ended
  t.is(code, 77)
  const [why, exit, end] = errors.split('\n')
  t.regex(why ?? '', /^berth: unauthenticated: .*; the command runs on while the reservation is in force$/)
  t.is(exit, 'berth: the command ended with 3')
  t.regex(end ?? '', /^berth: the machine cannot be given back: unauthenticated: /)
})

test('where a token has ended, the command ends before its reservation is released', async (t) => {
  const refused = (): Handle => (req, res) => {
    req.resume()
    res.writeHead(401).end(JSON.stringify({ status: 401, code: 'unauthenticated', detail: 'No.' }))
  }
  const { lab, ended } = await runKept(t, [keeps(1800, 12), ...Array.from({ length: 20 }, () => refused)])
  const { code, errors } = await ended
  t.is(code, 77)
  t.regex(errors, /\nberth: the reservation can no longer be kept alive: unauthenticated: No\.\n/)
  t.is(await lab.held(), undefined)
})

test('while the service is down the command runs until its reservation ends, and no longer', async (t) => {
  const down = Array.from({ length: 50 }, () => refuse())
  const { ended, keptAlive } = await runKept(t, [keeps(4, 2), ...down])
  const { code, errors } = await ended
  t.deepEqual([code, keptAlive() > 1], [76, true])
  t.regex(errors, /^berth: the reservation is no longer in force: it has ended\n/)
})

test('the clock of the service decides when a reservation is extended', async (t) => {
  const { lab, keptAlive, finish, ended } = await runKept(t, [keeps(540, 120), keeps(240, 120)], { EXTEND: '15m' })
  await until('the service is asked again', async () => keptAlive() > 3, 60_000)
  await finish()
  t.is((await ended).code, 3)
  const { json } = await lab.service.as('admin').get(`/api/sut/${lab.sut}/history`)
  const types = (json.events as readonly { type: string }[]).map(({ type }) => type)
  t.is(types.filter((type) => type === 'berth.ReservationExtended').length, 1)
})
