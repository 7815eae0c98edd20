import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import { type ProbeTarget, probe } from '../../src/gateway/probe/probe.ts'
import { until } from '../http/until.ts'
import { SOON } from './harness.ts'
import { freePort, HOST } from './peers.ts'
import { areInstalled, isListening, startXvnc } from './rfb/xvnc.ts'

/** What probes do to servers that are not ours, as the guide says it. */

const look = async (target: Pick<ProbeTarget, 'port' | 'sut_type'>) => {
  const options = { isOwn: () => false, signal: new AbortController().signal }
  return (await probe({ host: HOST, password: undefined, ...target }, options))?.cause
}

/** Runs a program until the test ends. Resolves `ended` when it ends by itself. */
const run = (t: ExecutionContext, command: string, ...args: readonly string[]) => {
  const program = spawn(command, args, { stdio: 'ignore' })
  const ended = once(program, 'exit')
  t.teardown(async () => {
    if (program.exitCode === null && program.kill()) await ended
  })
  return { program, ended }
}

test('a probe takes the only connection of gdbserver --once, which ends, and not of gdbserver --multi', async (t) => {
  if (!areInstalled(t, 'gdbserver')) return
  // It is asked only once: looking whether it listens would be its one connection.
  for (const [mode, isOnce] of [
    ['--once', true],
    ['--multi', false],
  ] as const) {
    const port = await freePort()
    const { program, ended } = run(t, 'gdbserver', mode, `${HOST}:${port}`, ...(isOnce ? ['/bin/cat'] : []))
    const isReached = async (): Promise<boolean> => (await look({ port, sut_type: 'tcp' })) === undefined
    await until('a probe', isReached, SOON)
    if (isOnce) await ended
    else await until('another probe', isReached, SOON)
    t.is(program.exitCode === null, !isOnce)
  }
})

test('TigerVNC bars Berth after probes without a password, and not where it asks for none', async (t) => {
  if (!areInstalled(t, 'Xvnc')) return
  const { port } = await startXvnc(t)
  const found: (string | undefined)[] = []
  for (let n = 0; n < 20 && found.at(-1) !== 'locked_out'; n++) found.push(await look({ port, sut_type: 'vnc' }))
  // The connection that found it listening counts as the first of five.
  t.deepEqual(found, [...Array(4).fill('no_password'), 'locked_out'])

  const open = await freePort()
  run(t, 'Xvnc', `:${open}`, '-SecurityTypes', 'None', '-rfbport', String(open), '-localhost')
  await until('Xvnc', () => isListening(open), SOON)
  for (let n = 0; n < 100; n++) t.is(await look({ port: open, sut_type: 'vnc' }), undefined)
})
