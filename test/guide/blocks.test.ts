import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { freePort } from '../gateway/peers.ts'
import { temporaryData } from '../http/harness.ts'
import { COMPILED, launch, ROOT } from '../process/harness.ts'
import { areInstalled } from '../tools.ts'
import { isAsShown, readSteps, type Step } from './answers.ts'
import { type Block, chapter, chapters, type Document, documents, tour } from './documents.ts'
import { drawRecording } from './recording.ts'

/** A step that was run, and its real output. */
interface RunStep extends Step {
  readonly line: number
  readonly output: string
}

/** The parts of a checkout that the commands need. */
const NEEDED = ['node_modules', 'package.json', 'projections', 'src']
const SEPARATOR = '\u001e'
/** Blocks that show a screen. */
const NEEDS_VNC = /\b(?:Xvnc|vncsnapshot)\b/
const NEEDS_PYTEST = /\bpytest /
/** Milliseconds for all blocks of a document. */
const WITHIN = 50_000

/** Replaces `npm run -s berth --` to save npm's start-up time. The tour runs npm itself the first time. */
const WITHOUT_NPM = 'npm() { shift 4; node_modules/.bin/node src/main.ts "$@"; }'
const NPM_ONCE = `npm() {
  if [ ! -e npm-ran ]; then touch npm-ran; command npm "$@"; return; fi
  shift 4; node_modules/.bin/node src/main.ts "$@"
}`

/** The name of a script that readers save, from its first comment. */
const savedName = ({ code }: Block): string | undefined => /^(?:\/\/|#) ([\w-]+\.(?:mjs|py))\b/.exec(code)?.[1]

const freshFolder = async (t: ExecutionContext, { blocks }: Document): Promise<string> => {
  const folder = await temporaryData(t)
  for (const name of NEEDED) await symlink(join(ROOT, name), join(folder, name))
  await mkdir(join(folder, 'tmp'))
  await mkdir(join(folder, 'data'), { mode: 0o700 })
  for (const block of blocks) {
    const name = savedName(block)
    if (name !== undefined) await writeFile(join(folder, name), `${block.code}\n`)
  }
  return folder
}

const aLoopbackAddress = (): string => `127.${randomInt(64, 255)}.${randomInt(255)}.${randomInt(1, 255)}`

/** A random loopback address and a free port on it, for the second service of a document. */
const freeAddress = async (): Promise<{ host: string; port: number }> => {
  const host = aLoopbackAddress()
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return { host, port }
}

/** What takes the place of the addresses and ports that a document shows. */
interface Places {
  readonly port: number
  readonly second: { readonly host: string; readonly port: number }
  /** Where the service offers machines. */
  readonly gatewayHost: string
  /** The port, and the display, of a VNC server. */
  readonly vnc: number
}

/** Points the commands at services on other ports, with more time for a stream on a busy machine. */
const relocate = (script: string, { port, second, gatewayHost, vnc }: Places): string =>
  script
    .replaceAll('127.0.0.1::', `${gatewayHost}::`)
    .replaceAll('Xvnc :77 -rfbport 5977', `Xvnc :${vnc} -rfbport ${vnc}`)
    .replaceAll('"port":5977', `"port":${vnc}`)
    .replaceAll(/--max-time [12] /g, '--max-time 6 ')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:8081', `${second.host}:${second.port}`)
    .replaceAll('BERTH_PORT=8081', `BERTH_HOST=${second.host} BERTH_PORT=${second.port}`)

const runBash = async (t: ExecutionContext, folder: string, script: string, input: string): Promise<string> => {
  await writeFile(join(folder, 'blocks.bash'), script)
  const bash = spawn('bash', ['blocks.bash'], {
    cwd: folder,
    // Its own process group, so that background services end with it.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: join(folder, 'tmp'),
      NODE_COMPILE_CACHE: COMPILED,
    },
  })
  const kill = (): void => {
    try {
      process.kill(-(bash.pid as number), 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
  t.teardown(kill)
  const timer = setTimeout(kill, WITHIN)
  let output = ''
  for (const stream of [bash.stdout, bash.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  bash.stdin.on('error', () => undefined).end(input)
  await new Promise((resolve) => bash.once('close', resolve))
  clearTimeout(timer)
  return output
}

/**
 * Runs the `sh` blocks of a document in one bash, after those of `before`, with a service on a new log. Returns the
 * steps with their output. Types the first password when a block asks for it.
 */
const runDocument = async (
  t: ExecutionContext,
  document: Document,
  before: readonly Block[],
): Promise<readonly RunStep[]> => {
  const folder = await freshFolder(t, document)
  const gatewayHost = aLoopbackAddress()
  const env = { BERTH_PORT: '0', BERTH_GATEWAY: 'on', BERTH_GATEWAY_HOST: gatewayHost }
  const service = launch(t, { data: join(folder, 'data'), args: ['serve'], env })
  const { url } = JSON.parse(await service.line('"msg":"listening"')) as { url: string }
  const { file } = JSON.parse(await service.line('created the administrator')) as { file: string }
  const password = await readFile(file, 'utf8')
  const canShow = areInstalled(t, 'Xvnc', 'vncpasswd', 'vncsnapshot')
  const hasPytest = areInstalled(t, 'pytest-3')
  const blocks = [...before, ...document.blocks].filter(
    ({ info, code }) => info === 'sh' && (canShow || !NEEDS_VNC.test(code)) && (hasPytest || !NEEDS_PYTEST.test(code)),
  )
  const steps = blocks.flatMap(({ code, line }) => readSteps(code).map((step) => ({ ...step, line })))
  const script = steps.map(({ commands }) => `${commands}\nprintf '${SEPARATOR}'\n`).join('')
  const prelude = `exec 2>&1\n${document === tour ? NPM_ONCE : WITHOUT_NPM}\n`
  const second = await freeAddress()
  const relocated = relocate(script, { port: Number(new URL(url).port), second, gatewayHost, vnc: await freePort() })
  // After the name, as in a credentials file.
  const typed = `${password.trim().slice('admin:'.length)}\n`
  const output = await runBash(t, folder, `${prelude}${relocated}`, typed)
  const outputs = output.replaceAll(gatewayHost, '127.0.0.1').split(SEPARATOR)
  return steps.map((step, index) => ({ ...step, output: outputs[index] ?? '(not reached)' }))
}

/** Blocks that no test runs, by their document and first line, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "src/guide/eventstoredb.md: BERTH_EVENT_STORE='esdb://127": 'needs an EventStoreDB',
  "src/guide/eventstoredb.md: BERTH_EVENT_STORE='esdb://berth": 'needs an EventStoreDB cluster',
  "src/guide/eventstoredb.md: BERTH_EVENT_STORE='esdb+discover": 'needs an EventStoreDB cluster',
  'src/guide/agents.md: claude mcp': 'needs Claude Code',
  'src/guide/eventstoredb.md: curl --cacert': 'needs an EventStoreDB cluster',
  'src/guide/analysts.md: npm run -s berth -- export': 'test/guide/analysts-events.test.ts does so',
  'src/guide/analysts.md: node subscribe.mjs': 'needs an EventStoreDB',
  'src/guide/deploying.md: useradd --system': 'needs systemd',
  'src/guide/deploying.md: install -d': 'needs systemd',
  'src/guide/deploying.md: sha256sum': 'needs a release',
  'src/guide/operating.md: sudo systemctl': 'needs systemd and a release',
  'src/guide/deploying.md: sudo -u berth env': 'needs systemd',
  'src/guide/deploying.md: docker compose': 'needs a container engine',
  'src/guide/command-line.md: umask 077': 'needs a service at another address',
  'src/guide/command-line.md: npm run -s berth -- user passwd 6b01': 'needs a vault key that was lost',
  'src/guide/machines.md: ssh -N': 'needs another machine',
  'src/guide/operating.md: node_modules/.bin/node src/command-line/berth.js serve':
    'runs until it is stopped; others run it',
  'src/guide/recipes.md: node berth.mjs reserve --match tag.power': 'needs labgrid',
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
  test(`${document === tour ? '' : 'thorough: '}the shell blocks of ${path} give the answers shown`, (t) =>
    inLane(number, async () => {
      const steps = await runDocument(t, document, SETTING)
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

const KINDS = 'sh, sh norun, js, ts, json, yaml, groovy, python, robotframework, sql, nginx, caddyfile'.split(', ')

test('every block can be pasted, or names the file to save it in', (t) => {
  const kinds = new Set(chapters.flatMap(({ blocks }) => blocks.map(({ info }) => info)))
  t.deepEqual(kinds.difference(new Set(KINDS)), new Set())
})

test('the picture of the tour shows its commands and answers', (t) => {
  const picture = readFileSync(join(ROOT, 'src/guide/pictures/tour.svg'), 'utf8')
  t.is(picture, drawRecording(tour), 'write it with: node_modules/.bin/node test/guide/recording.ts')
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
