import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { freePort } from '../gateway/peers.ts'
import { areInstalled } from '../gateway/rfb/xvnc.ts'
import { COMPILED, launch, ROOT } from '../process/harness.ts'
import { temporaryDirectory } from '../users/temporary-directory.ts'
import { readSteps, type Step } from './answers.ts'
import type { Block, Document } from './documents.ts'

/** A step that was run, and its real output. */
export interface RunStep extends Step {
  readonly line: number
  readonly output: string
}

/** The parts of a checkout that the commands need. */
const NEEDED = ['node_modules', 'package.json', 'projections', 'src']
const SEPARATOR = '\u001e'
/** Blocks that show a screen. */
const NEEDS_VNC = /\b(?:Xvnc|vncsnapshot)\b/
/** Milliseconds for all blocks of a document. */
const WITHIN = 50_000

/** Replaces `npm run -s berth --` to save npm's start-up time. README.md runs npm itself the first time. */
const WITHOUT_NPM = 'npm() { shift 4; node_modules/.bin/node src/main.ts "$@"; }'
const NPM_ONCE = `npm() {
  if [ ! -e npm-ran ]; then touch npm-ran; command npm "$@"; return; fi
  shift 4; node_modules/.bin/node src/main.ts "$@"
}`

/** The name of a script that readers save, from its first comment. */
const savedName = ({ code }: Block): string | undefined =>
  /^(?:#!.*\n)?(?:\/\/|#) ([\w-]+\.(?:mjs|sh))\b/.exec(code)?.[1]

const freshFolder = async (t: ExecutionContext, { blocks }: Document): Promise<string> => {
  const folder = await temporaryDirectory(t)
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
    .replaceAll('subjectAltName=IP:127.0.0.1', `subjectAltName=IP:${second.host}`)

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
export const runDocument = async (
  t: ExecutionContext,
  document: Document,
  before: readonly Block[] = [],
): Promise<readonly RunStep[]> => {
  const folder = await freshFolder(t, document)
  const gatewayHost = aLoopbackAddress()
  const env = { BERTH_PORT: '0', BERTH_GATEWAY: 'on', BERTH_GATEWAY_HOST: gatewayHost }
  const service = launch(t, { data: join(folder, 'data'), args: ['serve'], env })
  const { url } = JSON.parse(await service.line('"msg":"listening"')) as { url: string }
  const { file } = JSON.parse(await service.line('created the administrator')) as { file: string }
  const password = await readFile(file, 'utf8')
  const canShow = areInstalled(t, 'Xvnc', 'vncpasswd', 'vncsnapshot')
  const blocks = [...before, ...document.blocks].filter(
    ({ info, code }) => info === 'sh' && (canShow || !NEEDS_VNC.test(code)),
  )
  const steps = blocks.flatMap(({ code, line }) => readSteps(code).map((step) => ({ ...step, line })))
  const script = steps.map(({ commands }) => `${commands}\nprintf '${SEPARATOR}'\n`).join('')
  const prelude = `exec 2>&1\n${before.length === 0 ? NPM_ONCE : WITHOUT_NPM}\n`
  const second = await freeAddress()
  const relocated = relocate(script, { port: Number(new URL(url).port), second, gatewayHost, vnc: await freePort() })
  // After the name, as in a credentials file.
  const typed = `${password.trim().slice('admin:'.length)}\n`
  const output = await runBash(t, folder, `${prelude}${relocated}`, typed)
  const outputs = output.replaceAll(gatewayHost, '127.0.0.1').split(SEPARATOR)
  return steps.map((step, index) => ({ ...step, output: outputs[index] ?? '(not reached)' }))
}
