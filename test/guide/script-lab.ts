import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { freePort, startSut } from '../gateway/peers.ts'
import { passwordOf } from '../http/client.ts'
import { start, temporaryData } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { ROOT } from '../process/harness.ts'

export const FILE = join(ROOT, 'src/guide/with-machine.sh')
export const SCRIPT = readFileSync(FILE, 'utf8')
export const ANY = '{"sut_type":"tcp"}'

/** A service that forwards a SUT that echoes, and the environment of a tester's pipeline. */
export const startScriptLab = async (t: ExecutionContext) => {
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
  /** The reservation that the SUT has now. */
  const held = async (): Promise<string | undefined> => {
    const { json } = await service.as('admin').get(`/api/sut_reservation?sut_id=${sut}&current=true`)
    return (json.sut_reservations as readonly { _id: string }[])[0]?._id
  }
  return { service, sut, folder, env, held }
}

/** The processes that have a variable of this value in their environment, so whatever became of their parents. */
const processesWith = (variable: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(variable)
    } catch {
      return false
    }
  })

interface Options {
  readonly file?: string
  /** The shell that runs it. */
  readonly shell?: string
}

/** Runs the script in a process group of its own, without a terminal, as systems for continuous integration do. */
export const run = (
  t: ExecutionContext,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { file = FILE, shell = 'sh' }: Options = {},
) => {
  const mark = `RUN_OF_TEST=${randomUUID()}`
  const [name = '', value = ''] = mark.split('=')
  const child = spawn(shell, [file, ...args], { env: { ...env, [name]: value }, detached: true })
  const pid = child.pid ?? 0
  const leftovers = (): readonly string[] => processesWith(mark)
  t.teardown(() => {
    for (const each of leftovers()) process.kill(Number(each), 'SIGKILL')
  })
  const output = { stdout: '', stderr: '' }
  const looking = new Set<() => void>()
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text
      for (const look of looking) look()
    })
  }
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, ...output }))
  })
  /** Resolves when the output has the text, or the script has ended. */
  const said = (text: string): Promise<unknown> => {
    const heard = new Promise<void>((resolve) => {
      const look = (): void => {
        if (output.stdout.includes(text) || output.stderr.includes(text)) resolve()
      }
      looking.add(look)
      look()
    })
    return Promise.race([heard, ended])
  }
  return {
    output,
    ended,
    said,
    /** The processes of this run that are alive. */
    leftovers,
    kill: (signal: NodeJS.Signals) => process.kill(pid, signal),
    killGroup: (signal: NodeJS.Signals) => process.kill(-pid, signal),
  }
}
