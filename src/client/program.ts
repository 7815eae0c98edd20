import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import type { Environment } from './credentials.ts'
import { type Output, say } from './output.ts'

/** Exit codes of shells for a program that is not there, and for one that cannot be run. */
const [NOT_FOUND, NOT_EXECUTABLE] = [127, 126]

/** What a shell answers for a program that a signal has ended. */
export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

export interface Program {
  readonly kill: (signal: NodeJS.Signals) => void
  /** The exit code as a shell shows it. */
  readonly ended: Promise<number>
}

/** Runs a program with the input and the output of the client. */
export const startProgram = (line: readonly string[], env: Environment, output: Output): Program => {
  const [file = '', ...args] = line
  const explain = ({ code }: NodeJS.ErrnoException): number => {
    say(output, `${file} cannot be run: ${code === 'ENOENT' ? 'there is no such program' : code}`)
    return code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE
  }
  let child: ChildProcess
  try {
    child = spawn(file, args, { env: { ...env }, stdio: 'inherit' })
  } catch (error) {
    // Node throws some reasons, such as E2BIG, and tells others by an event.
    return { kill: () => undefined, ended: Promise.resolve(explain(error as NodeJS.ErrnoException)) }
  }
  const ended = new Promise<number>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? exitCodeOf(signal as NodeJS.Signals)))
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(explain(error))
    })
  })
  return { kill: (signal) => child.kill(signal), ended }
}

/** Ends a program with SIGTERM, and with SIGKILL if it does not end in time. */
export const endProgram = async ({ kill, ended }: Program, killMs: number): Promise<void> => {
  kill('SIGTERM')
  const timer = setTimeout(() => kill('SIGKILL'), killMs)
  await ended
  clearTimeout(timer)
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** A terminal sends these to every process in front of it. */
const OF_TERMINAL: readonly string[] = ['SIGINT', 'SIGQUIT']
/** Milliseconds in which another signal is the same one: programs such as npm pass on what the terminal sends to all. */
const SAME_WITHIN = 1_000

/** What becomes of the signals that the client receives. */
export const handleSignals = () => {
  const interruption = new AbortController()
  const isWatched = [0, 1, 2].some(isatty)
  let running: Program | undefined
  let first: NodeJS.Signals | undefined
  let at = 0
  const handle = (signal: NodeJS.Signals): void => {
    if (running !== undefined) {
      if (!isWatched || !OF_TERMINAL.includes(signal)) running.kill(signal)
    } else if (first === undefined) {
      first = signal
      at = performance.now()
      interruption.abort()
    } else if (performance.now() - at > SAME_WITHIN) process.exit(exitCodeOf(signal))
  }
  for (const signal of SIGNALS) process.on(signal, handle)
  return {
    /** Aborted by the first one that arrives while no program runs. The second ends the client at once. */
    interrupted: interruption.signal,
    /** The exit code of the one that interrupted. */
    exitCode: (): number | undefined => first && exitCodeOf(first),
    /** Passes them on to a program from now on, until it ends. */
    passTo: (program: Program): void => {
      running = program
      program.ended.finally(() => {
        running = undefined
      })
    },
    close: (): void => {
      for (const signal of SIGNALS) process.off(signal, handle)
    },
  }
}

export type Signals = ReturnType<typeof handleSignals>
