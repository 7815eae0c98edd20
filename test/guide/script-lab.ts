import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { startLab, watch } from '../client/lab.ts'
import { passwordOf } from '../http/client.ts'
import { ROOT } from '../process/harness.ts'

export const FILE = join(ROOT, 'src/guide/with-machine.sh')
export const SCRIPT = readFileSync(FILE, 'utf8')
export const ANY = '{"sut_type":"tcp"}'

/** A service that forwards a SUT that echoes, and the environment of a tester's pipeline. */
export const startScriptLab = async (t: ExecutionContext) => {
  const {
    service,
    suts: [sut = ''],
    folder,
  } = await startLab(t)
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

/** The strings of a file of a process, none if it has ended. */
const stringsOf = (pid: string, file: 'environ' | 'cmdline'): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** The processes that have a variable of this value in their environment, so whatever became of their parents. */
const processesWith = (variable: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => stringsOf(pid, 'environ').includes(variable))

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
  const mark = randomUUID()
  const child = spawn(shell, [file, ...args], { env: { ...env, RUN_OF_TEST: mark }, detached: true })
  const pid = child.pid ?? 0
  /** The processes of this run that are alive. */
  const leftovers = (): readonly string[] => processesWith(`RUN_OF_TEST=${mark}`)
  t.teardown(() => {
    for (const each of leftovers()) process.kill(Number(each), 'SIGKILL')
  })
  return {
    ...watch(child),
    leftovers,
    /** Whether the process stands apart that ends the command when the script is gone. */
    watched: (): boolean =>
      leftovers().some((each) => {
        const [program, , script] = stringsOf(each, 'cmdline')
        return program === 'sh' && script?.includes('keeper=$1') === true
      }),
    kill: (signal: NodeJS.Signals) => process.kill(pid, signal),
    killGroup: (signal: NodeJS.Signals) => process.kill(-pid, signal),
  }
}
