import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ROOT } from '../process/harness.ts'
import { isAsShown, readSteps } from './answers.ts'
import { chapter, chapters, documents, readme } from './documents.ts'
import { drawRecording } from './recording.ts'
import { runDocument } from './run-document.ts'

/** Blocks that no test runs, by their document and first line, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "src/guide/eventstoredb.md: BERTH_EVENT_STORE='esdb://127": 'needs an EventStoreDB',
  "src/guide/eventstoredb.md: BERTH_EVENT_STORE='esdb://berth": 'needs an EventStoreDB cluster',
  "src/guide/eventstoredb.md: BERTH_EVENT_STORE='esdb+discover": 'needs an EventStoreDB cluster',
  'src/guide/eventstoredb.md: curl --cacert': 'needs an EventStoreDB cluster',
  'src/guide/deploying.md: useradd --system': 'needs systemd',
  'src/guide/deploying.md: install -d': 'needs systemd',
  'src/guide/deploying.md: sha256sum': 'needs a release',
  'src/guide/operating.md: sudo systemctl': 'needs systemd and a release',
  'src/guide/deploying.md: sudo -u berth env': 'needs systemd',
  'src/guide/deploying.md: docker compose': 'needs a container engine',
  'src/guide/command-line.md: umask 077': 'needs a service at another address',
  'src/guide/command-line.md: npm run -s berth -- user passwd 6b01': 'needs a vault key that was lost',
  'src/guide/machines.md: curl -u alice': 'needs two client addresses',
  'src/guide/machines.md: ssh -N': 'needs another machine',
  'src/guide/operating.md: node_modules/.bin/node src/command-line/berth.js serve':
    'runs until it is stopped; others run it',
  'src/guide/single-sign-on.md: BERTH_OIDC_ISSUER=https://login': 'configures Keycloak',
  'src/guide/single-sign-on.md: BERTH_OIDC_ISSUER=https://gitlab': 'configures GitLab',
  'src/guide/speed.md: npm ci --prefix': 'installs packages from a registry and takes twenty minutes',
}

const SETTING = chapter('README.md').blocks

/** Each document runs at least two processes. Two documents at a time leave room for other tests. */
const lanes = [Promise.resolve(), Promise.resolve()]
const inLane = (number: number, task: () => Promise<void>): Promise<void> => {
  const lane = number % lanes.length
  const run = (lanes[lane] as Promise<void>).then(task)
  lanes[lane] = run.catch(() => undefined)
  return run
}

// The blocks of the guide's index run before those of each chapter.
const shown = documents.filter(({ blocks }) => blocks !== SETTING && blocks.some(({ info }) => info === 'sh'))
for (const [number, document] of shown.entries()) {
  const { path } = document
  test(`${document === readme ? '' : 'thorough: '}the shell blocks of ${path} give the answers shown`, (t) =>
    inLane(number, async () => {
      const steps = await runDocument(t, document, document === readme ? [] : SETTING)
      for (const { line, commands, answer, output } of steps) {
        const place = `${path}:${line}\n${commands}`
        t.true(isAsShown(output, answer), `${place}\nanswers\n${output}\nbut the document shows\n${answer}`)
      }
    }))
}

test('every block that no test runs is listed with a reason, and every listed block exists', (t) => {
  const found = documents.flatMap(({ path, blocks }) =>
    blocks.filter(({ info }) => info === 'sh norun').map(({ code }) => `${path}: ${code}`),
  )
  const listed = Object.keys(NOT_RUN)
  t.deepEqual(
    found.filter((block) => !listed.some((start) => block.startsWith(start))),
    [],
  )
  t.deepEqual(
    listed.filter((start) => !found.some((block) => block.startsWith(start))),
    [],
  )
})

test('every block can be pasted, or names the file to save it in', (t) => {
  const kinds = new Set(chapters.flatMap(({ blocks }) => blocks.map(({ info }) => info)))
  t.deepEqual(
    [...kinds].filter((kind) => !['sh', 'sh norun', 'bash', 'js', 'yaml', 'groovy'].includes(kind)),
    [],
  )
})

test('the README picture shows the commands and answers of its tour', (t) => {
  const picture = readFileSync(join(ROOT, 'src/guide/tour.svg'), 'utf8')
  t.is(picture, drawRecording(readme), 'write it with: node_modules/.bin/node test/guide/recording.ts')
})

test('control: a different, a missing and an extra answer are detected', (t) => {
  const shown = '{"_id":"6b013ba0b6a9a41fe5bda65e","name":"admin",…}'
  t.true(isAsShown('{"_id":"6b013ba0b6a9a41fe5bda65f",\n"name":"admin","role":"tester"}\n', shown))
  t.false(isAsShown('{"_id":"6b013ba0b6a9a41fe5bda65f","name":"anna","role":"tester"}', shown))
  t.false(isAsShown('', shown))
  t.false(isAsShown('more', ''))
  t.deepEqual(readSteps('a\nb\n# 1\n#\n# 2\nc\nd # no answer'), [
    { commands: 'a\nb', answer: '1\n\n2' },
    { commands: 'c\nd # no answer', answer: '' },
  ])
})
