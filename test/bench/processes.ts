import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A server under measurement, alone on its core. */
export interface Server {
  readonly url: string
  readonly pid: number
  /** Milliseconds from its start to its first word that it listens. */
  readonly startedWithin: number
  readonly stop: () => Promise<void>
}

/** The core of the servers; the load has the other. */
const SERVER_CORE = '0'
export const LOAD_CORE = '1'

export const requireTools = (): void => {
  for (const tool of ['wrk', 'taskset']) {
    try {
      execFileSync('which', [tool])
    } catch {
      process.stderr.write(`bench: ${tool} is needed (on Debian: apt-get install wrk util-linux)\n`)
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
  const child: ChildProcess = spawn('taskset', ['-c', core, process.execPath, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  for await (const line of lines) {
    const { url } = JSON.parse(line) as { url?: string }
    if (url === undefined) continue
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM')
      await ended
    }
    child.stdout?.resume()
    return { url, pid: child.pid as number, startedWithin: performance.now() - began, stop }
  }
  throw new Error(`${args.join(' ')} ended before it listened`)
}

export interface Sample {
  readonly requests: number
  readonly microseconds: number
  readonly refused: number
  readonly broken: number
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
    const child = spawn('taskset', ['-c', LOAD_CORE, ...wrk], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.on('error', reject)
    child.on('close', () => {
      const result = /^RESULT (.*)$/m.exec(output)?.[1]
      if (result === undefined) reject(new Error(`wrk said nothing that can be read:\n${output}`))
      else resolve(JSON.parse(result) as Sample)
    })
  })

/** Microseconds of CPU that a process has used. */
export const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** Megabytes that a process holds, and the most it has held. */
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
