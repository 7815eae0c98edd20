import test, { type ExecutionContext } from 'ava'
import { until } from '../http/until.ts'
import { ANY, run, startScriptLab } from './script-lab.ts'

const SHELLS = ['dash', 'bash']

/** A command that has started another one, which ignores what may be ignored. */
const FAMILY = [
  ...['sh', '-c'],
  'sh -c \'trap "" INT HUP; echo "begun $(ps -o ppid= -p $$)"; while :; do sleep 1; done\'; exit',
] as const

/** Runs such a command on a machine, and returns the run with the process id of the command. */
const runFamily = async (t: ExecutionContext, shell: string) => {
  const lab = await startScriptLab(t)
  const running = run(t, [ANY, '30m', ...FAMILY], { ...lab.env, EXTEND: '15m' }, { shell })
  await running.said('begun')
  // The command begins a moment before what ends it when the script is gone.
  await until('the command is watched', async () => running.watched(), 60_000)
  return { lab, ...running }
}

const gone = (leftovers: () => readonly string[]): Promise<void> =>
  until('no process of the script is left', async () => leftovers().length === 0, 60_000)

type Running = Awaited<ReturnType<typeof runFamily>>

/** What ends the run, and how it ends where somebody is left to say so. */
const ENDS: readonly (readonly [title: string, end: (running: Running) => unknown, code?: number])[] = [
  [
    'with the script killed by SIGKILL, its command ends, and nothing goes on keeping the machine',
    ({ kill }) => kill('SIGKILL'),
  ],
  ['so it is with its whole process group', ({ killGroup }) => killGroup('SIGKILL')],
  [
    'with the command alone killed by SIGKILL, what it started ends, and the machine is free',
    ({ output }) => process.kill(Number(/begun +(\d+)/.exec(output.out)?.[1]), 'SIGKILL'),
    137,
  ],
  [
    'a reservation that is over ends the command with all that it has started',
    async ({ lab }) => lab.service.as('admin').post(`/api/sut_reservation/${await lab.held()}/cancel`, {}),
    76,
  ],
  ['SIGTERM reaches all that the command has started', ({ kill }) => kill('SIGTERM'), 143],
]

for (const shell of SHELLS) {
  for (const [title, end, code] of ENDS) {
    test(`${shell}: ${title}`, async (t) => {
      const running = await runFamily(t, shell)
      await end(running)
      if (code !== undefined) {
        t.is((await running.ended).code, code)
        t.is(await running.lab.held(), undefined)
      }
      await t.notThrowsAsync(gone(running.leftovers))
    })
  }

  test(`${shell}: with the script killed by SIGKILL in the queue, nothing goes on asking`, async (t) => {
    const { service, sut, env } = await startScriptLab(t)
    await service.as('admin').post('/api/sut_reservation/create', { sut_id: sut, start_in: 0, duration: 1800 })
    const { kill, leftovers, said } = run(t, [ANY, '30m', 'true'], { ...env, WAIT: '1h' }, { shell })
    await said('waiting as number 1')
    kill('SIGKILL')
    await t.notThrowsAsync(gone(leftovers))
  })

  test(`${shell}: the command gets SIGINT as such, and takes its time`, async (t) => {
    const { env } = await startScriptLab(t)
    const command = 'trap "echo interrupted; exit 5" INT; echo begun; while :; do sleep 0.1; done'
    const { kill, ended, said } = run(t, [ANY, '30m', 'sh', '-c', command], env, { shell })
    await said('begun')
    kill('SIGINT')
    const { code, out } = await ended
    t.deepEqual([code, out], [5, 'begun\ninterrupted\n'])
  })
}
