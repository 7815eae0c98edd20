import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { passwordOf } from '../http/client.ts'
import { start, temporaryData } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { chapter } from './documents.ts'

const SCRIPT = chapter('pipelines.md').blocks.find(({ info }) => info === 'bash')?.code ?? ''
const CREATE = '/api/sut_reservation/create'

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/** Passes a request on. `answered` may keep the answer from the client. */
const passTo =
  (port: number, answered?: (res: ServerResponse) => void): Handle =>
  (req, res) => {
    const { method, url, headers } = req
    const passed = request({ port, method, path: url, headers }, (answer) => {
      if (answered !== undefined) {
        answer.resume().on('end', () => answered(res))
        return
      }
      res.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(res)
    })
    req.pipe(passed)
  }

/** Runs the script on a SUT, with the first creates treated as said. Shows what became of the reservations. */
const runScript = async (t: ExecutionContext, script: string, first: readonly ((port: number) => Handle)[]) => {
  const service = await start(t)
  const { port } = new URL(service.url)
  const sut = await createSut(service.as('admin'))
  let creates = 0
  const proxy = createServer((req, res) => {
    const handle = req.url === CREATE ? first[creates++] : undefined
    ;(handle ?? passTo)(Number(port))(req, res)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => proxy.close())
  const file = join(await temporaryData(t), 'with-machine.sh')
  await writeFile(file, script)
  const env = {
    PATH: process.env.PATH,
    LAB_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    LAB_USER: `alice:${passwordOf('alice')}`,
    JOB: 'nightly-4711',
  }
  const ran = await promisify(execFile)('bash', [file, sut, '900', 'echo', 'tested'], { env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
  )
  const { json } = await service.as('admin').get(`/api/sut_reservation?sut_id=${sut}`)
  const { json: history } = await service.as('admin').get(`/api/sut/${sut}/history`)
  const types = (history.events as readonly { type: string }[]).map(({ type }) => type)
  return { ...ran, creates, count: json.count, isReleased: types.includes('berth.ReservationReleased') }
}

const breakOff = (port: number): Handle => passTo(port, (res) => res.destroy())
const breakOffWithin = (port: number): Handle =>
  passTo(port, (res) => {
    res.writeHead(201, { 'Content-Length': 1_000 }).write('{"_id":"', () => res.destroy())
  })
const refuse = (): Handle => (req, res) => {
  req.resume()
  res.writeHead(503, { 'Content-Type': 'application/json' }).end('{"code":"unavailable","_id":"none"}')
}
const DONE = { code: 0, stdout: 'tested\n', count: 1, isReleased: true }

test('the script for pipelines reserves once and releases, when the answer is lost', async (t) => {
  t.deepEqual(await runScript(t, SCRIPT, [breakOff]), { ...DONE, creates: 2 })
})

test('the script for pipelines reserves once and releases, when the answer breaks off', async (t) => {
  t.deepEqual(await runScript(t, SCRIPT, [breakOffWithin]), { ...DONE, creates: 2 })
})

test('the script for pipelines reserves once and releases, when the service is busy at first', async (t) => {
  t.deepEqual(await runScript(t, SCRIPT, [refuse]), { ...DONE, creates: 2 })
})

test('control: a script that takes the first answer of a busy service releases nothing', async (t) => {
  const careless = SCRIPT.replace('-o "$answer"', '>> "$answer"')
  t.not(careless, SCRIPT)
  t.false((await runScript(t, careless, [refuse])).isReleased)
})
