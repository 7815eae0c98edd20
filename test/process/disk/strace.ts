import { spawn } from 'node:child_process'
import type { Tidying } from '../../http/harness.ts'

/** A process whose system calls are traced. */
export interface Traced {
  readonly kind: 'traced'
  /** Resolves when the process has ended and the whole trace is written. */
  readonly ended: Promise<void>
}

/** The reason why tracing is impossible here. */
export interface NotTraced {
  readonly kind: 'not traced'
  readonly why: string
}

/** Traces a running process and its threads. Resolves when tracing has begun. */
export const trace = (scope: Tidying, pid: number, args: readonly string[]): Promise<Traced | NotTraced> => {
  const strace = spawn('strace', ['-f', '-p', String(pid), ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => {
    strace.on('close', () => resolve())
    strace.on('error', () => resolve())
  })
  scope.teardown(async () => {
    strace.kill('SIGKILL')
    await ended
  })
  return new Promise((resolve) => {
    let output = ''
    strace.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (/attached/.test(output)) resolve({ kind: 'traced', ended })
    })
    strace.on('error', () => resolve({ kind: 'not traced', why: 'strace is not installed' }))
    strace.on('close', () => resolve({ kind: 'not traced', why: output.trim().replaceAll('\n', '; ') }))
  })
}
