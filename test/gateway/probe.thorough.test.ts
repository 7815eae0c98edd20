/** What probes do to servers that are not ours, as the guide says it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { type ProbeTarget, probe } from '../../src/gateway/probe/probe.ts'
import { until } from '../http/until.ts'
import { areInstalled } from '../tools.ts'
import { SOON } from './harness.ts'
import { freePort, HOST } from './peers.ts'
import { isListening, PASSWORD, startXvnc } from './rfb/xvnc.ts'

interface Program {
  readonly program: ChildProcess
  /** Resolves when it ends, by itself or with the test. */
  readonly ended: Promise<unknown>
  /** What it has written to its error stream. */
  readonly errors: () => string
}

const startProgram = (t: ExecutionContext, command: string, args: readonly string[]): Program => {
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
const startX11vnc = async (t: ExecutionContext) => {
  const port = await freePort()
  const display = `:${port}`
  startProgram(t, 'Xvfb', [display, '-screen', '0', '320x200x24', '-nolisten', 'tcp'])
  await until('Xvfb', async () => existsSync(`/tmp/.X11-unix/X${port}`), SOON)
  const args = ['-display', display, '-rfbport', String(port), '-localhost', '-passwd', PASSWORD]
  const started = startProgram(t, 'x11vnc', args)
  // A connection to find out would be one of those that it counts.
  await until('x11vnc', async () => started.errors().includes('Listening for VNC connections on TCP port'), SOON)
  return { port, ...started }
}

const look = async (target: Pick<ProbeTarget, 'port' | 'sut_type'>, password?: string) => {
  const options = { isOwn: () => false, signal: new AbortController().signal }
  return (await probe({ host: HOST, password, ...target }, options))?.cause
}

const SERVERS: readonly (readonly [string, boolean, (port: number) => readonly string[]])[] = [
  ['gdbserver', true, (port) => ['--once', `${HOST}:${port}`, '/bin/cat']],
  ['gdbserver', true, (port) => ['--multi', `${HOST}:${port}`]],
  ['gdbserver', false, (port) => [`${HOST}:${port}`, '/bin/cat']],
  ['nc', true, (port) => ['-l', HOST, String(port)]],
  ['nc', false, (port) => ['-lk', HOST, String(port)]],
]
for (const [command, ends, args] of SERVERS)
  test(`a probe ${ends ? 'ends' : 'does not end'} ${command} ${args(7).join(' ')}`, async (t) => {
    if (!areInstalled(t, command)) return
    const port = await freePort()
    const { program, ended } = startProgram(t, command, args(port))
    // Asking whether it listens would be a connection too.
    const isReached = async (): Promise<boolean> => (await look({ port, sut_type: 'tcp' })) === undefined
    await until('a probe', isReached, SOON)
    if (!ends) {
      for (let n = 0; n < 3; n++) await until('another probe', isReached, SOON)
      t.is(program.exitCode, null)
      return
    }
    // A connection that it takes before it has noticed the end of the first one is refused by none.
    await until('it is gone', async () => program.exitCode !== null || !(await isReached()), SOON)
    await ended
    t.pass()
  })

test('a probe does not end x11vnc, not even where it serves one viewer and then ends', async (t) => {
  if (!areInstalled(t, 'x11vnc', 'Xvfb')) return
  const { port, program } = await startX11vnc(t)
  for (let n = 0; n < 3; n++) t.is(await look({ port, sut_type: 'vnc' }, PASSWORD), undefined)
  t.is(program.exitCode, null)
})

test('TigerVNC bars Berth after probes without a password, and not where it asks for none', async (t) => {
  if (!areInstalled(t, 'Xvnc')) return
  const { port } = await startXvnc(t)
  const found: (string | undefined)[] = []
  for (let n = 0; n < 20 && found.at(-1) !== 'locked_out'; n++) found.push(await look({ port, sut_type: 'vnc' }))
  // The connection that found it listening counts as the first of five.
  t.deepEqual(found, [...Array(4).fill('no_password'), 'locked_out'])

  const open = await freePort()
  startProgram(t, 'Xvnc', [`:${open}`, '-SecurityTypes', 'None', '-rfbport', String(open), '-localhost'])
  await until('Xvnc', () => isListening(open), SOON)
  for (let n = 0; n < 100; n++) t.is(await look({ port: open, sut_type: 'vnc' }), undefined)
})
