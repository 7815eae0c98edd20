import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** A server under measurement, on its own core. */
export interface Server {
  readonly url: string
  readonly pid: number
  /** Other processes of the server. */
  readonly pids: readonly number[]
  /** Milliseconds from its start until it reports its address. */
  readonly startedWithin: number
  readonly stop: () => Promise<void>
}

/** The core of the servers; the load uses the other. */
export const SERVER_CORE = '0'
export const LOAD_CORE = '1'
export const BOTH_CORES = `${SERVER_CORE},${LOAD_CORE}`

/** On other systems, processes cannot be bound to a core, and foreign load is unknown. */
export const isLinux = process.platform === 'linux'

const onCore = (core: string, command: readonly string[]): [program: string, args: string[]] => {
  const [program = '', ...args] = isLinux ? ['taskset', '-c', core, ...command] : command
  return [program, args]
}

export const requireTools = (): void => {
  for (const tool of isLinux ? ['wrk', 'taskset'] : ['wrk']) {
    try {
      execFileSync('which', [tool])
    } catch {
      process.stderr.write(`bench: ${tool} is required (on Debian: apt-get install wrk util-linux)\n`)
      process.exit(2)
    }
  }
}

/** Starts a server that prints a line of JSON with its `url`. */
export const startServer = async (
  args: readonly string[],
  environment: Record<string, string>,
  core: string = SERVER_CORE,
): Promise<Server> => {
  const began = performance.now()
  const child: ChildProcess = spawn(...onCore(core, [process.execPath, ...args]), {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  let listening: Server | undefined
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const { url, pids = [] } = JSON.parse(line) as { url?: string; pids?: number[] }
    if (url === undefined) continue
    listening = { url, pid: child.pid as number, pids, startedWithin: performance.now() - began, stop }
    break
  }
  if (listening === undefined) throw new Error(`${args.join(' ')} ended before it listened`)
  // Breaking the loop pauses the stream, and a full pipe would block the server.
  child.stdout?.resume()
  return listening
}

/** Runs a script to its end on both cores; returns its output. */
export const runScript = async (args: readonly string[], environment: Record<string, string> = {}): Promise<string> => {
  const env = { ...process.env, ...environment }
  return (await promisify(execFile)(...onCore(BOTH_CORES, [process.execPath, ...args]), { env })).stdout
}

/** Runs `use`, and then stops all servers that it started, even after an error. */
export const withServers = async <A>(use: (start: typeof startServer) => Promise<A>): Promise<A> => {
  const started: Server[] = []
  try {
    return await use(async (...what) => {
      const server = await startServer(...what)
      started.push(server)
      return server
    })
  } finally {
    for (const { stop } of started) await stop()
  }
}

export interface Sample {
  readonly requests: number
  readonly microseconds: number
  /** Bytes of all responses, including headers. */
  readonly bytes: number
  readonly refused: number
  readonly broken: number
  /** Number of responses by status, if the script counts them. */
  readonly statuses: Readonly<Record<string, number>>
  /** Microseconds. */
  readonly p50: number
  readonly p99: number
}

/** One sample of load with wrk from the other core. */
export const load = (
  url: string,
  script: string,
  connections: number,
  seconds: number,
  args: string[],
): Promise<Sample> =>
  new Promise((resolve, reject) => {
    const wrk = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url, '--', ...args]
    const child = spawn(...onCore(LOAD_CORE, wrk), { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.on('error', reject)
    child.on('close', () => {
      const result = /^RESULT (.*)$/m.exec(output)?.[1]
      if (result === undefined) reject(new Error(`wrk printed no result:\n${output}`))
      else resolve(JSON.parse(result) as Sample)
    })
  })

interface Process {
  readonly parent: number
  /** CPU time in microseconds, including exited children. */
  readonly used: number
}

const processOf = (pid: number): Process => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, usersOfChildren = 0, systemsOfChildren = 0] = fields.slice(11, 15)
  return { parent: fields[1] as number, used: (user + system + usersOfChildren + systemsOfChildren) * 10_000 }
}

const processes = (): ReadonlyMap<number, Process> => {
  const all = new Map<number, Process>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      all.set(Number(pid), processOf(Number(pid)))
    } catch {
      // It has exited in the meantime.
    }
  }
  return all
}

/** CPU time of processes and all their descendants, in microseconds. */
export const cpuOf = (...pids: readonly number[]): number => {
  const all = processes()
  const isAmong = (pid: number): boolean => {
    const parent = all.get(pid)?.parent
    return pids.includes(pid) || (parent !== undefined && isAmong(parent))
  }
  return [...all].reduce((sum, [pid, { used }]) => sum + (isAmong(pid) ? used : 0), 0)
}

/** CPU time of this process and its exited children, such as every wrk, in microseconds. */
export const ownCpu = (): number => processOf(process.pid).used

/** Current and peak resident memory of a process, in megabytes. */
export const memoryOf = (pid: number): { now: number; peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { now: of('VmRSS'), peak: of('VmHWM') }
}

export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * q
  const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number]
  return low + (high - low) * (place - Math.floor(place))
}

/** `0.62 (0.58-0.66)`: the median and the quartiles. */
export const spread = (values: readonly number[], digits = 2): string =>
  `${quantile(values, 0.5).toFixed(digits)} (${quantile(values, 0.25).toFixed(digits)}-${quantile(values, 0.75).toFixed(digits)})`
