import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { ExecutionContext } from 'ava'
import { until } from '../http/until.ts'
import { SOON } from './harness.ts'
import { freePort } from './peers.ts'
import { PASSWORD } from './rfb/xvnc.ts'

/** Programs of others that run until a test ends. */

export interface Program {
  readonly program: ChildProcess
  /** Resolves when it ends, by itself or with the test. */
  readonly ended: Promise<unknown>
  /** What it has written to its error stream. */
  readonly errors: () => string
}

export const startProgram = (t: ExecutionContext, command: string, args: readonly string[]): Program => {
  const program = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(program, 'exit')
  let errors = ''
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  t.teardown(async () => {
    // x11vnc does not always end by SIGTERM.
    if (program.exitCode === null && program.kill('SIGKILL')) await ended
  })
  return { program, ended, errors: () => errors }
}

/** Starts x11vnc with a password, on a display of its own. */
export const startX11vnc = async (t: ExecutionContext, ...options: readonly string[]) => {
  const port = await freePort()
  const display = `:${port}`
  startProgram(t, 'Xvfb', [display, '-screen', '0', '320x200x24', '-nolisten', 'tcp'])
  await until('Xvfb', async () => existsSync(`/tmp/.X11-unix/X${port}`), SOON)
  const args = ['-display', display, '-rfbport', String(port), '-localhost', '-passwd', PASSWORD, ...options]
  const started = startProgram(t, 'x11vnc', args)
  // A connection to find out would be one of those that it counts.
  await until('x11vnc', async () => started.errors().includes('Listening for VNC connections on TCP port'), SOON)
  return { port, ...started }
}
