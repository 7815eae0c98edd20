import { write, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'

/** How long a line may wait to be written together with others. */
const FLUSH_DELAY_MS = 100
/** Characters that trigger a write at once, and that may wait for a slow reader. */
const ENOUGH = 64 * 1024
const WAITING_MAX = 4 * 1024 * 1024
/** Before a full pipe is tried again, and how often that happens at exit. */
const RETRY_DELAY_MS = 20
const RETRIES_MAX = 25

const writeSome = promisify(write) as (fd: number, bytes: Uint8Array) => Promise<{ bytesWritten: number }>

const isFullPipe = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

const linesIn = (text: string): number => text.split('\n').length - 1

/** Writes everything, retrying while the pipe is full. Returns what a failure left unwritten. */
const writeAll = async (fd: number, bytes: Buffer): Promise<Buffer> => {
  let left = bytes
  while (left.length > 0) {
    try {
      left = left.subarray((await writeSome(fd, left)).bytesWritten)
    } catch (error) {
      if (!isFullPipe(error)) return left
      await delay(RETRY_DELAY_MS, undefined, { ref: false })
    }
  }
  return left
}

/** The blocking version, with a limited number of retries. */
const writeAllNow = (fd: number, bytes: Buffer): void => {
  let left = bytes
  for (let again = 0; left.length > 0 && again < RETRIES_MAX; ) {
    try {
      left = left.subarray(writeSync(fd, left))
    } catch (error) {
      if (!isFullPipe(error)) return
      again++
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_DELAY_MS)
    }
  }
}

/**
 * Writes lines to a file descriptor in the background, in order and in large pieces. A full disk, or a reader that is
 * slow or gone, costs lines and nothing else. pino's own destination can hang at exit on a full disk.
 */
export const openLineWriter = (fd: number) => {
  let waiting = ''
  let lost = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  const take = (): string => {
    const text = waiting
    waiting = ''
    return text
  }

  const writeOut = async (text: string): Promise<void> => {
    const left = await writeAll(fd, Buffer.from(text))
    if (left.length > 0) lost += linesIn(left.toString())
  }

  const start = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (writing !== undefined || waiting === '') return
    writing = (async () => {
      while (waiting !== '') await writeOut(take())
      writing = undefined
    })()
  }

  return {
    /** Takes a line including its newline. It is written within 0.1 s, or at once if urgent. */
    write: (line: string, isUrgent = false): void => {
      if (waiting.length > WAITING_MAX) {
        lost++
        return
      }
      waiting += line
      if (writing !== undefined) return
      if (isUrgent || waiting.length >= ENOUGH) start()
      else timer ??= setTimeout(start, FLUSH_DELAY_MS).unref()
    },
    /** Resolves when everything taken so far is written or given up, or after `within` milliseconds. */
    flush: async (within: number): Promise<void> => {
      start()
      const late = new AbortController()
      await Promise.race([writing, delay(within, undefined, { signal: late.signal })])
      late.abort()
    },
    /** The synchronous version, for a process about to exit. */
    flushNow: (): void => writeAllNow(fd, Buffer.from(take())),
    /** How many lines could not be written. */
    lost: (): number => lost,
  }
}

export type LineWriter = ReturnType<typeof openLineWriter>

/** Nested causes that are logged. */
const CAUSES_MAX = 3

/** The logged fields of an error. Other properties may hold secrets and are left out. */
const errorFacts = (error: unknown, causes = CAUSES_MAX): object => {
  if (!(error instanceof Error)) return { message: 'a value that is not an Error was thrown' }
  const { name, message, stack, code, cause } = error as NodeJS.ErrnoException
  const nested = cause === undefined || causes === 0 ? {} : { cause: errorFacts(cause, causes - 1) }
  return { name, message, stack, ...(typeof code === 'string' && { code }), ...nested }
}

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** The service's own log. Its lines are rare and written at once. Its methods may be passed on by themselves. */
export const makeLog = (level: Level, lines: LineWriter) => {
  const serializers = { err: (error: unknown) => errorFacts(error) }
  const logger = pino({ level, base: { pid: process.pid }, serializers }, { write: (line) => lines.write(line, true) })
  return {
    info: logger.info.bind(logger),
    warn: logger.warn.bind(logger),
    error: logger.error.bind(logger),
    fatal: logger.fatal.bind(logger),
    isLevelEnabled: logger.isLevelEnabled.bind(logger),
  }
}
