import { write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { pino } from 'pino'

/** Lines on their way to a file descriptor, in their order. */
export interface Lines {
  /** Takes a line with its end; it is written within a tenth of a second, or at once when it is urgent. */
  readonly write: (line: string, isUrgent?: boolean) => void
  /** Resolves when what has been taken is written or given up, or after so many milliseconds. */
  readonly flush: (within: number) => Promise<void>
  /** The same at once, for a process that is about to end. */
  readonly flushNow: () => void
  /** How many lines could not be written. */
  readonly lost: () => number
}

/** Milliseconds that a line may wait for others to be written with. */
const WAIT = 100
/** Characters that are written at once, and that may wait for a reader who is too slow. */
const ENOUGH = 64 * 1024
const WAITING_MAX = 4 * 1024 * 1024
/** Milliseconds after which a full pipe is tried again, and how often that is done when the process ends. */
const AGAIN_AFTER = 20
const AGAIN_MAX = 25

const writeSome = promisify(write) as (fd: number, bytes: Uint8Array) => Promise<{ bytesWritten: number }>

const isFullPipe = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

const linesIn = (text: string): number => text.split('\n').length - 1

/** Writes everything, however often a full pipe has to be tried again; gives what a failure has left over. */
const writeAll = async (fd: number, bytes: Buffer): Promise<Buffer> => {
  let left = bytes
  while (left.length > 0) {
    try {
      left = left.subarray((await writeSome(fd, left)).bytesWritten)
    } catch (error) {
      if (!isFullPipe(error)) return left
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER).unref())
    }
  }
  return left
}

/** The same while the process stands still, and with less patience. */
const writeAllNow = (fd: number, bytes: Buffer): void => {
  let left = bytes
  for (let again = 0; left.length > 0 && again < AGAIN_MAX; ) {
    try {
      left = left.subarray(writeSync(fd, left))
    } catch (error) {
      if (!isFullPipe(error)) return
      again++
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_AFTER)
    }
  }
}

/**
 * Writes in the background, in large pieces. Whatever befalls the other end, a full disk, a reader that is slow or gone,
 * costs lines and nothing else: pino's own destination can hang at exit on a full disk.
 */
export const openLines = (fd: number): Lines => {
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
    write: (line, isUrgent = false) => {
      if (waiting.length > WAITING_MAX) {
        lost++
        return
      }
      waiting += line
      if (writing !== undefined) return
      if (isUrgent || waiting.length >= ENOUGH) start()
      else timer ??= setTimeout(start, WAIT).unref()
    },
    flush: async (within) => {
      start()
      if (writing === undefined) return
      const late = Promise.withResolvers<void>()
      const timeout = setTimeout(late.resolve, within)
      await Promise.race([writing, late.promise])
      clearTimeout(timeout)
    },
    flushNow: () => writeAllNow(fd, Buffer.from(take())),
    lost: () => lost,
  }
}

/** Errors behind an error that are told. */
const CAUSES_MAX = 3

/** What is told of an error: nothing that somebody may have hung onto it. */
const errorFacts = (error: unknown, causes = CAUSES_MAX): object => {
  if (!(error instanceof Error)) return { message: 'something that is no error was thrown' }
  const { name, message, stack, code, cause } = error as NodeJS.ErrnoException
  const behind = cause === undefined || causes === 0 ? {} : { cause: errorFacts(cause, causes - 1) }
  return { name, message, stack, ...(typeof code === 'string' && { code }), ...behind }
}

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** The log of what happens to the service itself: rare, and worth to be seen at once. */
export const makeLog = (level: Level, lines: Lines) => {
  const serializers = { err: (error: unknown) => errorFacts(error) }
  return pino({ level, base: { pid: process.pid }, serializers }, { write: (line) => lines.write(line, true) })
}
