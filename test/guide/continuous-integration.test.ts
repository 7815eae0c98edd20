import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { parse } from 'yaml'
import { HELD, historyOf, type Lab, NODE, startLab } from '../client/lab.ts'
import { areInstalled } from '../tools.ts'
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

/** What `pip` installs is there already. */
const gitlabJobInPython = (): Example => {
  const [code = ''] = chapter('python.md')
    .blocks.filter(({ info }) => info === 'yaml')
    .map((block) => block.code)
  const [{ script }] = Object.values(parse(code)) as [{ script: readonly string[] }]
  const lines = script.map((line) => (line.startsWith('pip ') ? ':' : line))
  return { system: 'GitLab, Python', shell: ['bash', '-e', '-o', 'pipefail'], script: lines.join('\n') }
}

const jenkinsStage = (): Example => {
  const [, script = ''] = /\bsh '''\n(.*?)'''/s.exec(stage) ?? []
  const variables = [...stage.matchAll(/^ +(BERTH_\w+) = /gm)].map(([, name]) => name)
  return { system: `Jenkins, with ${variables}`, shell: ['sh', '-xe'], script }
}

/** A folder with the script of an example and the tests that it runs, and its variables. */
const prepare = async ({ folder, env }: Lab, name: string, script: string) => {
  const cwd = join(folder, name)
  await mkdir(cwd)
  await writeFile(join(cwd, 'run-tests.sh'), '#!/bin/sh\necho "tested $SUT_ID"\n', { mode: 0o755 })
  await writeFile(join(cwd, 'script'), script)
  return { cwd, env: { ...env, RUNNER_TEMP: cwd, PATH: `${dirname(NODE)}:${process.env.PATH}` } }
}

test('thorough: the example for GitLab and Python runs pytest on a machine and gives it back', async (t) => {
  if (!areInstalled(t, 'pytest-3', 'curl')) return
  const lab = await startLab(t)
  const { shell, script } = gitlabJobInPython()
  const [program = '', ...options] = shell
  const { cwd, env } = await prepare(lab, 'python', script)
  await writeFile(join(cwd, 'test_sut.py'), 'def test_it(machine): print("tested", machine.sut["_id"])\n')
  const { stdout } = await promisify(execFile)(program, [...options, 'script'], { cwd, env })
  t.regex(stdout, /berth: reserved lab-1 .* 1 passed/s)
  t.deepEqual(await historyOf(lab, 1), HELD)
})

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
    const setting = await prepare(lab, system.split(',')[0] ?? '', script)
    const { stdout } = await promisify(execFile)(program, [...options, 'script'], setting)
    t.is(stdout, `tested ${suts[0]}\n`, system)
  }
  t.is((await historyOf(lab, 1)).length, 6)
  t.is((await service.as('alice').get('/api/sut_reservation?current=true')).json.count, 0)
})
