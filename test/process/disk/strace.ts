import { spawn } from 'node:child_process'
import type { Tidying } from '../../http/harness.ts'

/**
 * Traces a running process and its threads. Resolves when tracing has begun, with a promise of the process's end and the
 * whole trace, or with the reason why tracing is impossible here.
 */
export const trace = (
  scope: Tidying,
  pid: number,
  args: readonly string[],
): Promise<{ readonly ended: Promise<void> } | string> => {
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
      if (/attached/.test(output)) resolve({ ended })
    })
    strace.on('error', () => resolve('strace is not installed'))
    strace.on('close', () => resolve(output.trim().replaceAll('\n', '; ')))
  })
}
