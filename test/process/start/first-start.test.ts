import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { Log } from '../../../src/app/core/base.ts'
import { leaveFirstPassword, welcome } from '../../../src/app/serve.ts'
import { type } from '../../command-line/terminal.ts'
import { temporaryData } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { COMPILED, ROOT, serve } from '../harness.ts'

const passwordFiles = async (data: string): Promise<readonly string[]> =>
  (await readdir(data)).filter((name) => name.startsWith('first-password'))

test('without a terminal the first password goes to a file only its owner can read, and not to the log', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const service = await serve(t, { data, env: { BERTH_ADMIN_PASSWORD: undefined, BERTH_LOG_LEVEL: 'trace' } })
  const { file } = JSON.parse(await service.line('created the administrator')) as { file: string }
  t.is((await stat(file)).mode & 0o777, 0o600)
  const [name = '', password = ''] = (await readFile(file, 'utf8')).trimEnd().split(':')
  const me = await service.as(name, password).get('/api/user/me')
  t.like(me, { status: 200, json: { name: 'admin', role: 'administrator' } })
  t.false(service.output().includes(password))
  const environment = { BERTH_URL: `http://127.0.0.1:${service.port}`, BERTH_CREDENTIALS_FILE: file }
  t.deepEqual(await type(['list', '--json'], environment), { code: 0, out: '[]\n', error: '' })
  t.regex((await type(['user', 'list'], environment)).out, /\tadmin\tadministrator\t/)
  t.is((await service.get('/')).status, 200)
  const children = globSync(`/proc/${service.pid}/task/*/children`).map((path) => readFileSync(path, 'utf8'))
  t.is(children.join(''), '', 'what bundles the page has ended')
  await service.stop()

  const again = await serve(t, { data, env: { BERTH_ADMIN_PASSWORD: undefined } })
  await again.stop()
  t.false(again.output().includes('created the administrator'))
  t.is((await passwordFiles(data)).length, 1)
})

const recordTo = (lines: object[]): Log => {
  const at = (level: string) => (facts: object, sentence: string) => void lines.push({ level, facts, sentence })
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

test('a first password that cannot be written is missed in the log, with the command that sets another', async (t) => {
  const lines: object[] = []
  const missing = join(await temporaryData(t), 'missing')
  await leaveFirstPassword(missing, { name: 'admin', password: 'a secret of the test' }, recordTo(lines))
  t.like(lines, [{ level: 'error', facts: { name: 'admin', remedy: 'berth user passwd admin' } }])
  t.false(JSON.stringify(lines).includes('a secret'))
})

test('two first passwords are left in two files, whatever the process is', async (t) => {
  const data = await temporaryData(t)
  for (const password of ['one', 'two']) await leaveFirstPassword(data, { name: 'admin', password }, recordTo([]))
  const files = await passwordFiles(data)
  const left = await Promise.all(files.map((file) => readFile(join(data, file), 'utf8')))
  t.deepEqual(left.sort(), ['admin:one\n', 'admin:two\n'])
})

test('thorough: a configured first password is written nowhere', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const service = await serve(t, { data, env: { BERTH_ADMIN_PASSWORD: 'given by the owner' } })
  await service.stop()
  t.deepEqual(await passwordFiles(data), [])
  for (const name of await readdir(data)) t.false((await readFile(join(data, name))).includes('given by the owner'))
  t.false(service.output().includes('given by the owner'))
})

/** Runs a service at a terminal until it listens, and returns its output. Undefined without script(1). */
const atTerminal = async (data: string): Promise<string | undefined> => {
  const command = `exec ${process.execPath} ${join(ROOT, 'src/main.ts')} serve`
  const env = {
    ...{ PATH: process.env.PATH, SHELL: '/bin/sh', NODE_COMPILE_CACHE: COMPILED },
    ...{ BERTH_DATA: data, BERTH_PORT: '0' },
  }
  const script = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(script, 'close').catch(() => undefined)
  let shown = ''
  script.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk
  })
  if (script.pid === undefined) {
    await ended
    return undefined
  }
  try {
    await until(
      'the service listens',
      async () => /Five minutes|created the administrator/.test(shown) || script.exitCode !== null,
      20_000,
    )
    // Ctrl-C, as the terminal sends it.
    script.stdin.write('\u0003')
    await ended
  } finally {
    script.kill('SIGKILL')
  }
  return shown
}

test('thorough: at a terminal the first password is shown once and written to no file', async (t) => {
  const data = join(await temporaryData(t), 'data')
  const shown = process.platform === 'linux' ? await atTerminal(data) : undefined
  if (shown === undefined) {
    t.log('NOT RUN: script(1) is needed to create a terminal')
    t.pass()
    return
  }
  const password = /password {2}(\S+) {6}\(shown this once\)/.exec(shown)?.[1] ?? ''
  t.regex(password, /^[0-9a-z]{26}$/)
  // Once by itself and once in the example command.
  t.is(shown.split(password).length - 1, 2)
  t.deepEqual(await passwordFiles(data), [])
  for (const name of await readdir(data)) t.false((await readFile(join(data, name))).includes(password), name)
  const again = await serve(t, { data, env: { BERTH_ADMIN_PASSWORD: undefined } })
  t.is((await again.as('admin', password).get('/api/user/me')).status, 200)
  await again.stop()
  t.false(again.output().includes(password))
})

test('the welcome text shows the first password and an example command, and no configured one', (t) => {
  for (const [user, shown, typed] of [
    [{ name: 'admin', password: 'pear-tree-42' }, 'pear-tree-42      (shown this once)', 'pear-tree-42'],
    [{ name: 'admin' }, '(the one you set)\n', 'PASSWORD'],
  ] as const) {
    const text = welcome('http://127.0.0.1:8080', user)
    t.true(text.includes(`password  ${shown}`), text)
    t.true(text.includes(`curl -u 'admin:${typed}' http://127.0.0.1:8080/api/user/me`))
  }
})
