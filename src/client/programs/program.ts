import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Environment } from '../service/credentials.ts'
import type { Limits } from '../service/limits.ts'
import { ClientFailure } from '../service/output.ts'
import { NOT_EXECUTABLE } from './find.ts'

/** What a shell answers for a program that a signal has ended. */
export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

export interface Run {
  readonly line: readonly string[]
  readonly env: Environment
  /** Gives it a process group of its own, which a terminal would stop when it reads. */
  readonly isGrouped: boolean
  /** Whether it ignores SIGHUP, as this client does. */
  readonly ignoresHangup: boolean
  /** Seconds between SIGTERM and SIGKILL where the client is gone. */
  readonly killAfter: number
}

/** Ends the process, or the group if the number is negative, that the first line names, once the pipe is closed. */
const GUARD = 'read -r target || exit; read -r _; kill -TERM "$target"; sleep "$1"; kill -KILL "$target"'

/** Names itself to the guard, whose pipe is the descriptor, and becomes the program. */
const become = (pipe: number, ignoresHangup: boolean): string =>
  `${ignoresHangup ? "trap '' HUP; " : ''}printf '%s\\n' "$1$$" >&${pipe}; shift; exec "$@" ${pipe}>&-`

/**
 * Starts a shell that ends a program if this client is killed. The program names itself to it before it begins, since the
 * client may be killed at any moment.
 */
const startGuard = (killAfter: number) => {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', String(killAfter)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  for (const each of [guard, guard.stdin]) each.on('error', () => undefined)
  return guard
}

/** Sends a signal, 0 to look whether something is there. Returns whether it was sent. */
const trySignal = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

const isRunning = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null

/** Starts a program with the descriptors of the client. */
const spawnProgram = (
  { line, env, isGrouped, ignoresHangup }: Run,
  descriptors: readonly number[],
  guard: ReturnType<typeof startGuard> | undefined,
): ChildProcess => {
  const [file = '', ...args] = line
  if (guard === undefined) return spawn(file, args, { env: { ...env }, stdio: 'inherit' })
  const stdio: (number | 'inherit' | 'ignore' | Writable)[] = ['inherit', 'inherit', 'inherit']
  for (const fd of descriptors) stdio[fd] = fd
  // Shells know descriptors of one digit only.
  const pipe = [3, 4, 5, 6, 7, 8].find((fd) => stdio[fd] === undefined) ?? 9
  stdio[pipe] = guard.stdin
  const parts = ['-c', become(pipe, ignoresHangup), 'sh', isGrouped ? '-' : '', ...line]
  const filled = Array.from(stdio, (each) => each ?? 'ignore')
  return spawn('/bin/sh', parts, { env: { ...env }, stdio: filled, detached: isGrouped })
}

/** Runs a program with the input and the output of the client. Rejects, or throws, if it cannot be run. */
export const startProgram = (run: Run, descriptors: readonly number[]) => {
  const guard = process.platform === 'win32' ? undefined : startGuard(run.killAfter)
  const explain = ({ code }: NodeJS.ErrnoException): ClientFailure => {
    guard?.kill('SIGKILL')
    return new ClientFailure(NOT_EXECUTABLE, `${run.line[0]} cannot be run: ${code}`)
  }
  let child: ChildProcess
  try {
    child = spawnProgram(run, descriptors, guard)
  } catch (error) {
    // Node throws some reasons, such as E2BIG, and tells others by an event.
    throw explain(error as NodeJS.ErrnoException)
  }
  const { pid } = child
  const group = run.isGrouped && pid !== undefined ? -pid : undefined
  /** The exit code as a shell shows it. */
  const ended = new Promise<number>((resolve, reject) => {
    child.on('exit', (code, signal) => resolve(code ?? exitCodeOf(signal as NodeJS.Signals)))
    child.on('error', (error) => {
      if (child.pid === undefined) reject(explain(error))
    })
  })
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal)
  return {
    /** Signals the program alone. */
    kill,
    /** Signals its process group where it has one of its own, otherwise the program alone. */
    killGroup: group === undefined ? kill : (signal: NodeJS.Signals): void => void trySignal(group, signal),
    /** Whether it runs, or something of its own group, which it may have left behind. */
    isAlive: (): boolean => isRunning(child) || (group !== undefined && trySignal(group, 0)),
    ended,
    /** Call it when nothing runs any more that is to end if this client is killed. */
    close: (): void => void guard?.kill('SIGKILL'),
  }
}

export type Program = ReturnType<typeof startProgram>

/** Milliseconds between looks at a group: only its leader is a child of the client. */
const LOOK_MS = 20

/** Waits until nothing of a program and its group runs any more, or so many milliseconds. */
const waitUntilGone = async ({ isAlive }: Program, within: number): Promise<void> => {
  const until = performance.now() + within
  while (isAlive() && performance.now() < until) await delay(LOOK_MS)
}

/** Ends a program and its group with SIGTERM, and with SIGKILL what does not end in time. */
export const endProgram = async (program: Program, { killMs }: Pick<Limits, 'killMs'>): Promise<void> => {
  program.killGroup('SIGTERM')
  await waitUntilGone(program, killMs)
  if (program.isAlive()) program.killGroup('SIGKILL')
  await program.ended
}

/** Ends what a program that has ended has left behind: it would reach the machine while somebody else has it. */
export const endRest = async (program: Program, limits: Pick<Limits, 'graceMs' | 'killMs'>): Promise<void> => {
  await waitUntilGone(program, limits.graceMs)
  if (program.isAlive()) await endProgram(program, limits)
}

/** Runs a program in this terminal. Resolves to its exit code. */
export const runViewer = async ([program, ...args]: readonly [program: string, ...args: string[]]): Promise<number> => {
  const [code, signal] = (await once(spawn(program, args, { stdio: 'inherit' }), 'exit')) as [number | null, string]
  return code ?? exitCodeOf(signal as NodeJS.Signals)
}
