import { spawn } from 'node:child_process'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { until } from '../http/until.ts'
import { COMPILED, ROOT } from '../process/harness.ts'
import { temporaryDirectory } from '../users/temporary-directory.ts'

const LAUNCHER = join(ROOT, 'src/command-line/berth.js')
/** The launcher as an old Node runs it. */
const AS_OLD_NODE = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
  process.argv.splice(1, 0, '${LAUNCHER}');
  await import('file://${LAUNCHER}')`

/** Starts a service through another process, and waits until it listens. */
const start = async (t: ExecutionContext, command: string, ...args: readonly string[]) => {
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: COMPILED,
    BERTH_DATA: join(await temporaryDirectory(t), 'data'),
    BERTH_PORT: '0',
    BERTH_GATEWAY: 'off',
  }
  const parent = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  parent.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  /** Once the parent has ended and nobody has its output any more, the service neither. */
  const allEnded = new Promise<number | null>((resolve) => parent.on('close', (code) => resolve(code)))
  await until('the service listens', async () => output.includes('"msg":"listening"'), 60_000)
  const service = Number(/"pid":(\d+)/.exec(output)?.[1])
  t.teardown(() => {
    try {
      process.kill(service, 'SIGKILL')
    } catch {
      // It has ended.
    }
  })
  return { parent, service, allEnded, output: () => output }
}

const startUnderOldNode = (t: ExecutionContext) =>
  start(t, process.execPath, '--input-type=module', '--eval', AS_OLD_NODE, '--', 'serve')

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`under an old Node, ${signal} to the launcher stops the service in order`, async (t) => {
    const { parent, service, allEnded, output } = await startUnderOldNode(t)
    t.not(service, parent.pid)
    parent.kill(signal)
    t.is(await allEnded, 0)
    t.true(output().includes('"msg":"stopped"'))
  })
}

for (const signal of ['SIGKILL', 'SIGQUIT'] as const) {
  test(`under an old Node, the service ends when its launcher ends by ${signal}`, async (t) => {
    const { parent, allEnded } = await startUnderOldNode(t)
    parent.kill(signal)
    await allEnded
    t.pass()
  })
}

test('a SIGTERM to npm start stops the service in order', async (t) => {
  const { parent, allEnded, output } = await start(t, 'npm', 'start')
  parent.kill('SIGTERM')
  await allEnded
  t.true(output().includes('"msg":"stopped"'))
})
