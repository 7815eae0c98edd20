import { readFileSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Environment } from '../service/credentials.ts'
import { exitCodeOf, type Program } from './program.ts'

/** Signals that end programs. They reach the whole group of COMMAND, as those of a terminal do. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** Signals that mean what programs take them for. A program that knows none of it would end, so COMMAND alone gets them. */
const OF_PROGRAMS = ['SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const
const SIGNALS = [...ENDING, ...OF_PROGRAMS]
/** A terminal sends these to every process in front of it. */
const OF_TERMINAL: readonly string[] = ['SIGINT', 'SIGQUIT']
/** Milliseconds in which another signal is the same one: programs such as npm pass on what the terminal sends to all. */
const SAME_WITHIN = 1_000

/** The bit of SIGHUP in the mask of ignored signals. */
const HANGUP = 1n

/**
 * Whether SIGHUP was ignored when this process was started. Node sets that back before any of this runs. So nohup is
 * known by the variable that shells set to the program they start, and a shell that ignores the signal by its status.
 */
const isHangupIgnored = ({ _: started = '' }: Environment): boolean => {
  if (/(^|\/)nohup$/.test(started)) return true
  try {
    const [, mask = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${process.ppid}/status`, 'utf8')) ?? []
    return (BigInt(`0x${mask}`) & HANGUP) !== 0n
  } catch {
    return false
  }
}

/** What becomes of the signals that the client receives, which was started with these variables. */
export const handleSignals = (environment: Environment) => {
  const ignoresHangup = isHangupIgnored(environment)
  const interruption = new AbortController()
  const isWatched = [0, 1, 2].some(isatty)
  let running: Program | undefined
  let first: NodeJS.Signals | undefined
  let at = 0
  const pass = (program: Program, signal: NodeJS.Signals): void => {
    if (isWatched && OF_TERMINAL.includes(signal)) return
    if ((OF_PROGRAMS as readonly string[]).includes(signal)) program.kill(signal)
    else program.killGroup(signal)
  }
  const handle = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGHUP' && ignoresHangup) return
    if (running !== undefined) pass(running, signal)
    else if (first === undefined) {
      first = signal
      at = performance.now()
      interruption.abort()
    } else if (performance.now() - at > SAME_WITHIN) process.exit(exitCodeOf(signal))
  }
  for (const signal of SIGNALS) process.on(signal, handle)
  return {
    /** Whether a terminal is attached, which sends its signals to COMMAND itself. */
    isWatched,
    /** Whether SIGHUP stays ignored, as it was when the client was started. */
    ignoresHangup,
    /** Aborted by the first one that arrives while no program runs. The second ends the client at once. */
    interrupted: interruption.signal,
    /** The exit code of the one that interrupted. */
    exitCode: (): number | undefined => first && exitCodeOf(first),
    /** Passes them on to a program from now on, until it ends. */
    passTo: (program: Program): void => {
      running = program
      const end = (): void => {
        running = undefined
      }
      program.ended.then(end, end)
    },
    close: (): void => {
      for (const signal of SIGNALS) process.off(signal, handle)
    },
  }
}

export type Signals = ReturnType<typeof handleSignals>
