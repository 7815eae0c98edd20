import { spawn } from 'node:child_process'
import test, { type ExecutionContext } from 'ava'
import { shared } from '../http/shared.ts'
import { until } from '../http/until.ts'
import { HELD, historyOf, NODE, reserving, runFile, startLab } from './lab.ts'

/** Each test has a machine of its own. */
const lab = shared((scope) => startLab(scope, 6))

/** COMMAND with a child that outlives it, and holds the output open as long as it runs. */
const bash = (script: string): readonly string[] => ['--', 'bash', '--norc', '-c', script]
const WITH_CHILD = bash('sleep 600 & echo begun; wait')

/** Runs the client as the leader of a group, and kills what the number means. Resolves when nothing holds its output. */
const killed = async (t: ExecutionContext, n: number, target: 'client' | 'group') => {
  const line = [lab.file, ...reserving(n, '--keepalive', '30s', ...WITH_CHILD)]
  const client = spawn(NODE, line, { detached: true, env: { PATH: process.env.PATH, ...lab.env } })
  t.teardown(() => void client.kill('SIGKILL'))
  const closed = new Promise((resolve) => client.on('close', resolve))
  await new Promise((resolve) => client.stdout.once('data', resolve))
  process.kill(target === 'client' ? (client.pid ?? 0) : -(client.pid ?? 0), 'SIGKILL')
  await closed
}

test('what a client ran ends when the client is killed, alone or with its group, before its machine is free', async (t) => {
  await Promise.all([killed(t, 1, 'client'), killed(t, 2, 'group')])
  for (const n of [1, 2]) t.deepEqual(await historyOf(lab, n), HELD.slice(0, 1))
  for (const n of [1, 2]) await until('it is free', async () => (await historyOf(lab, n)).length === 2, 90_000)
})

test('SIGTERM ends what COMMAND has started, too, and the machine is given back', async (t) => {
  // Bash does not pass the signal on, and does what it has for it when its child has ended. The child says that it has
  // begun: a signal that came before it would not end it.
  const child = "sh -c 'echo begun; exec sleep 600'"
  const running = runFile(t, lab, reserving(3, ...bash(`trap "echo told" TERM; ${child}; exit 9`)))
  await running.said('begun')
  running.child.kill('SIGTERM')
  t.like(await running.ended, { code: 9, out: 'begun\ntold\n' })
  t.deepEqual(await historyOf(lab, 3), HELD)
})

test('what COMMAND leaves behind ends before the machine is given back, with SIGKILL if need be', async (t) => {
  const stubborn = bash('(trap "" TERM; while :; do sleep 600; done) & echo begun')
  t.like(await runFile(t, lab, reserving(4, ...stubborn)).ended, { code: 0, out: 'begun\n' })
  t.deepEqual(await historyOf(lab, 4), HELD)
})

test('what COMMAND leaves behind may end by itself within a second', async (t) => {
  const late = bash('(trap "echo cut off" TERM; sleep 0.3; echo whole) & true')
  t.like(await runFile(t, lab, reserving(5, ...late)).ended, { code: 0, out: 'whole\n' })
})

test('a signal that means what COMMAND takes it for reaches COMMAND alone', async (t) => {
  // The traps count: one that is taken before `wait` begins would not end it.
  const traps = ['USR1', 'USR2', 'ALRM'].map((name) => `trap "echo ${name}; : \\$((n += 1))" ${name}`).join('; ')
  const child = 'sleep 600 & child=$!'
  const rest = 'until [ $n = 3 ]; do sleep 0.05; done; kill -0 $child && echo child runs; kill $child'
  const running = runFile(t, lab, reserving(6, ...bash(`n=0; ${traps}; ${child}; echo begun; ${rest}`)))
  await running.said('begun')
  for (const name of ['USR1', 'USR2', 'ALRM'] as const) {
    running.child.kill(`SIG${name}`)
    await running.said(`${name}\n`)
  }
  t.like(await running.ended, { code: 0, out: 'begun\nUSR1\nUSR2\nALRM\nchild runs\n' })
})
