import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { parse } from 'yaml'
import { historyOf, type Lab, NODE, startLab } from '../client/lab.ts'
import { ROOT } from '../process/harness.ts'
import { chapter } from './documents.ts'

const { blocks } = chapter('pipelines.md')
const [step = '', job = ''] = blocks.filter(({ info }) => info === 'yaml').map(({ code }) => code)
const [stage = ''] = blocks.filter(({ info }) => info === 'groovy').map(({ code }) => code)

interface Example {
  readonly system: string
  /** What the system sets besides the variables that the example names. */
  readonly shell: readonly string[]
  readonly script: string
}

const githubStep = (): Example => {
  const [{ env, run }] = parse(step) as [{ env: object; run: string }]
  return { system: `GitHub Actions, with ${Object.keys(env)}`, shell: ['bash', '-e', '-o', 'pipefail'], script: run }
}

const gitlabJob = (): Example => {
  const [{ script }] = Object.values(parse(job)) as [{ script: readonly string[] }]
  return { system: 'GitLab', shell: ['bash', '-e', '-o', 'pipefail'], script: script.join('\n') }
}

const jenkinsStage = (): Example => {
  const [, script = ''] = /\bsh '''\n(.*?)'''/s.exec(stage) ?? []
  const variables = [...stage.matchAll(/^ +(BERTH_\w+) = /gm)].map(([, name]) => name)
  return { system: `Jenkins, with ${variables}`, shell: ['sh', '-xe'], script }
}

/** A folder with the script of an example and the tests that it runs, and its variables. */
const prepare = async ({ folder, env }: Lab, name: string, script: string, tests: string) => {
  const cwd = join(folder, name)
  await mkdir(cwd)
  await writeFile(join(cwd, 'run-tests.sh'), `#!/bin/sh\n${tests}\n`, { mode: 0o755 })
  await writeFile(join(cwd, 'script'), script)
  return { cwd, env: { ...env, RUNNER_TEMP: cwd, PATH: `${dirname(NODE)}:${process.env.PATH}` } }
}

test('thorough: the examples for GitHub Actions, GitLab and Jenkins run tests on a machine and give it back', async (t) => {
  const lab = await startLab(t)
  const { service, suts } = lab
  const examples = [githubStep(), gitlabJob(), jenkinsStage()]
  t.deepEqual(
    examples.map(({ system }) => system),
    ['GitHub Actions, with BERTH_URL,BERTH_TOKEN', 'GitLab', 'Jenkins, with BERTH_URL,BERTH_TOKEN'],
  )
  for (const { system, shell, script } of examples) {
    const [program = '', ...options] = shell
    const setting = await prepare(lab, system.split(',')[0] ?? '', script, 'echo "tested $SUT_ID"')
    const { stdout } = await promisify(execFile)(program, [...options, 'script'], setting)
    t.is(stdout, `tested ${suts[0]}\n`, system)
  }
  t.is((await historyOf(lab, 1)).length, 6)
  t.is((await service.as('alice').get('/api/sut_reservation?current=true')).json.count, 0)
})

/** What the runner of GitHub sends to a step that is cancelled, and how many milliseconds later the next. */
const CANCELLING = [
  ['SIGINT', 7_500],
  ['SIGTERM', 2_500],
  ['SIGKILL', 0],
] as const

const steps = [
  ['the client', githubStep().script],
  ['the script', `exec sh ${join(ROOT, 'src/guide/with-machine.sh')} '{"tags":{"rack":"4"}}' 30m ./run-tests.sh`],
] as const
for (const [what, script] of steps) {
  test(`thorough: a step of GitHub that runs ${what} gives its machine back when it is cancelled`, async (t) => {
    const lab = await startLab(t)
    const setting = await prepare(lab, 'step', script, 'trap "" INT; echo begun; sleep 1 & wait; exec sleep 60')
    // The last signal kills all that the step has started.
    const step = spawn('bash', ['-e', '-o', 'pipefail', 'script'], { ...setting, detached: true })
    const ended = once(step, 'close')
    await once(step.stdout, 'data')
    for (const [signal, wait] of CANCELLING) {
      process.kill((signal === 'SIGKILL' ? -1 : 1) * (step.pid ?? 0), signal)
      if (await Promise.race([ended, delay(wait, false)])) break
    }
    t.deepEqual(await ended, [143, null])
    t.is((await lab.service.as('alice').get('/api/sut_reservation?current=true')).json.count, 0)
  })
}
