import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type } from '../command-line/terminal.ts'
import { basic, type Client, connectTo } from '../http/client.ts'
import type { Tidying } from '../http/harness.ts'

/** The directory of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const PASSWORD = 'correct horse battery'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Launch {
  readonly data: string
  /** Arguments of `berth`. */
  readonly args: readonly string[]
  /** Arguments of node itself. */
  readonly node?: readonly string[]
  /** The script to run instead of `src/main.ts`. */
  readonly script?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * Where services keep compiled code. The tests' own processes have another folder: V8 rejects what was compiled under
 * other flags, and the service sets some.
 */
export const COMPILED = join(ROOT, 'node_modules/.cache/berth')

/** A process with none of the caller's environment variables except PATH, killed when the scope ends. */
export const launch = (scope: Tidying, options: Launch) => {
  const { data, args, node = [], script = join(ROOT, 'src/main.ts'), env = {} } = options
  const child = spawn(process.execPath, [...node, script, ...args], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      TMPDIR: tmpdir(),
      NODE_COMPILE_CACHE: COMPILED,
      BERTH_DATA: data,
      BERTH_GATEWAY: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const received = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      received[name] += chunk
    })
  }
  const exited = new Promise<Exit>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  scope.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  /** The first line of standard output that contains the text. Rejects if the process ends without it. */
  const line = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = received.stdout
          .split('\n')
          .slice(0, -1)
          .find((written) => written.includes(text))
        if (found === undefined) return
        child.stdout.off('data', look)
        resolve(found)
      }
      child.stdout.on('data', look)
      look()
      exited.then(({ code }) => {
        reject(new Error(`ended (${code}) without ${JSON.stringify(text)}: ${received.stdout} ${received.stderr}`))
      }, reject)
    })
  return {
    pid: child.pid as number,
    output: () => received.stdout,
    errors: () => received.stderr,
    line,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    /** Resolves when the process has ended and all its output has been read. */
    exited,
  }
}

export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Runs a process to its end. */
export const runProcess = async (scope: Tidying, options: Launch): Promise<Ended> => {
  const child = launch(scope, options)
  const { code } = await child.exited
  return { code, output: child.output(), errors: child.errors() }
}

/** Runs a command in this process, which costs a tenth of one of its own. */
export const run = async ({ data, args, env = {} }: Pick<Launch, 'data' | 'args' | 'env'>): Promise<Ended> => {
  const environment = { PATH: process.env.PATH, BERTH_DATA: data, BERTH_GATEWAY: 'off', ...env }
  const { code, out, error } = await type(args, environment)
  return { code, output: out, errors: error }
}

export interface Service extends ReturnType<typeof launch>, Client {
  readonly port: number
  /** Another user of the service. */
  readonly as: (name: string, password: string) => Client
  /** Shuts it down gracefully and returns its exit. */
  readonly stop: () => Promise<Exit>
}

/** Starts the service and waits until it is ready. Requests are made as the first administrator. */
export const serve = async (scope: Tidying, options: Omit<Launch, 'args'>): Promise<Service> => {
  const env = { BERTH_PORT: '0', BERTH_ADMIN_PASSWORD: PASSWORD, ...options.env }
  const child = launch(scope, { ...options, args: ['serve'], env })
  const { url } = JSON.parse(await child.line('"msg":"listening"')) as { url: string }
  const port = Number(new URL(url).port)
  const connections = connectTo(port)
  scope.teardown(connections.close)
  const as = (name: string, password: string): Client => connections.client({ Authorization: basic(name, password) })
  const administrator = as('admin', PASSWORD)
  for (let status = 0; status !== 200; ) status = (await administrator.get('/health/ready')).status
  const stop = (): Promise<Exit> => {
    child.signal('SIGTERM')
    return child.exited
  }
  return { ...child, ...administrator, port, as, stop }
}
