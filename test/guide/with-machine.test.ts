import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { breakOff, breakOffWithin, type Handle, refuse, startProxy } from '../client/proxy.ts'
import { freePort, startSut } from '../gateway/peers.ts'
import { passwordOf } from '../http/client.ts'
import { start, temporaryData } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { ROOT } from '../process/harness.ts'
import { chapter } from './documents.ts'

const FILE = join(ROOT, 'src/guide/with-machine.sh')
const SCRIPT = readFileSync(FILE, 'utf8')
const CREATE = '/api/sut_request/create'
const ANY = '{"sut_type":"tcp"}'

test('the chapter on pipelines shows the script as it is in its file', (t) => {
  const shown = chapter('pipelines.md').blocks.find(({ info }) => info === 'bash')?.code
  t.is(`${shown}\n`, SCRIPT)
})

/** A service that forwards a SUT that echoes, and a file with the credentials of a tester. */
const given = async (t: ExecutionContext) => {
  const listen = await freePort()
  const environment = { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${listen}-${listen}` }
  const service = await start(t, { environment })
  const ticking = setInterval(service.tick, 20)
  t.teardown(() => clearInterval(ticking))
  const { port } = await startSut(t, (socket) => socket.pipe(socket))
  const sut = await createSut(service.as('admin'), { address: '127.0.0.1', port, sut_type: 'tcp' })
  const folder = await temporaryData(t)
  const credentials = join(folder, 'credentials')
  await writeFile(credentials, `alice:${passwordOf('alice')}\n`)
  const env = { PATH: process.env.PATH, BERTH_URL: service.url, BERTH_CREDENTIALS_FILE: credentials }
  return { service, sut, listen, folder, env }
}

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (args: readonly string[], env: NodeJS.ProcessEnv, file = FILE) => {
  const ran = promisify(execFile)('sh', [file, ...args], { env })
  const ended = ran.then(
    (output): Ran => ({ code: 0, ...output }),
    (error: Ran) => error,
  )
  return { child: ran.child, ended }
}

/** Runs the script on a SUT, with the first creates treated as said. Shows what became of the reservations. */
const runScript = async (t: ExecutionContext, script: string, first: readonly ((port: number) => Handle)[]) => {
  const { service, sut, folder, env } = await given(t)
  const proxy = await startProxy(t, service.port, CREATE, first)
  const file = join(folder, 'with-machine.sh')
  await writeFile(file, script)
  const { code, stdout } = await run([ANY, '900', 'echo', 'tested'], { ...env, BERTH_URL: proxy.url }, file).ended
  const { json } = await service.as('admin').get(`/api/sut_reservation?sut_id=${sut}`)
  const { json: history } = await service.as('admin').get(`/api/sut/${sut}/history`)
  const types = (history.events as readonly { type: string }[]).map(({ type }) => type)
  return {
    code,
    stdout,
    creates: proxy.count(),
    count: json.count,
    isReleased: types.includes('berth.ReservationReleased'),
  }
}

const DONE = { code: 0, stdout: 'tested\n', count: 1, isReleased: true }

test('thorough: the script for pipelines reserves once and releases, when the answer is lost', async (t) => {
  t.deepEqual(await runScript(t, SCRIPT, [breakOff]), { ...DONE, creates: 2 })
})

test('thorough: the script for pipelines reserves once and releases, when the answer breaks off', async (t) => {
  t.deepEqual(await runScript(t, SCRIPT, [breakOffWithin]), { ...DONE, creates: 2 })
})

test('thorough: the script for pipelines reserves once and releases, when the service is busy at first', async (t) => {
  t.deepEqual(await runScript(t, SCRIPT, [refuse()]), { ...DONE, creates: 2 })
})

test('control: a script that takes the first answer of a busy service releases nothing', async (t) => {
  const careless = SCRIPT.replace('-o "$answer"', '>> "$answer"')
  t.not(careless, SCRIPT)
  t.false((await runScript(t, careless, [refuse()])).isReleased)
})

/** Says something to the machine, and prints what it answers. */
const TALK = 'exec 3<> /dev/tcp/$SUT_HOST/$SUT_PORT; echo $SUT_ID >&3; head -n 1 <&3; env | grep -c ^BERTH_'

test('the script runs a command on a machine, without credentials, and exits as it does', async (t) => {
  const { sut, env } = await given(t)
  for (const code of [0, 3]) {
    const ran = await run([ANY, '900', 'bash', '--norc', '-c', `${TALK}; exit ${code}`], env).ended
    t.deepEqual([ran.code, ran.stdout, ran.stderr], [code, `${sut}\n1\n`, ''])
  }
})

test('a script that is given no command, service or credentials shows its usage', async (t) => {
  const env = { PATH: process.env.PATH, BERTH_URL: 'http://127.0.0.1:9', BERTH_TOKEN: 'berth_x' }
  const { BERTH_URL, BERTH_TOKEN, ...bare } = env
  for (const [args, given] of [
    [[ANY, '900'], env],
    [[ANY, '900', 'true'], { ...bare, BERTH_TOKEN }],
    [[ANY, '900', 'true'], { ...bare, BERTH_URL }],
  ] as const) {
    const { code, stderr } = await run(args, given).ended
    t.is(code, 64)
    t.regex(stderr, /^usage: .* MATCH SECONDS COMMAND\.\.\.\n$/)
  }
})

test('thorough: nothing outlives the script where its processes ignore SIGTERM', async (t) => {
  const { env } = await given(t)
  const ran = await run(['trap "" TERM; exec sh "$0" "$@"', FILE, ANY, '900', 'true'], env, '-c').ended
  t.deepEqual([ran.code, ran.stderr], [0, ''])
})

test('thorough: the script waits in the queue, releases its machine when it is killed, and tells 75, 76 and 77', async (t) => {
  const { service, sut, env } = await given(t)
  const held = async (): Promise<string | undefined> => {
    const { json } = await service.as('admin').get(`/api/sut_reservation?sut_id=${sut}&current=true`)
    return (json.sut_reservations as readonly { _id: string }[])[0]?._id
  }
  const sleeping = [ANY, '900', 'sh', '-c', 'echo begun; exec sleep 60']
  const first = run(sleeping, env)
  await once(first.child.stdout as Readable, 'data')
  const taken = await run([ANY, '900', 'true'], env).ended
  t.is(taken.code, 75)
  t.regex(taken.stderr, /^berth: no_sut_free: /)
  t.is((await run(['{"os":"none"}', '900', 'true'], env).ended).code, 77)
  const second = run(sleeping, { ...env, WAIT: '600' })
  await once(second.child.stderr as Readable, 'data')
  first.child.kill('SIGTERM')
  t.is((await first.ended).code, 143)
  await once(second.child.stdout as Readable, 'data')
  const id = await held()
  t.is((await service.as('admin').post(`/api/sut_reservation/${id}/cancel`, {})).status, 200)
  const { code, stderr } = await second.ended
  t.is(code, 76)
  t.regex(stderr, /^berth: waiting as number 1 in the queue: [\s\S]*berth: the reservation is no longer in force\n$/)
  t.is(await held(), undefined)
})
