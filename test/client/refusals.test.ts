import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { type } from '../command-line/terminal.ts'
import { passwordOf } from '../http/client.ts'
import { shared } from '../http/shared.ts'
import { until } from '../http/until.ts'
import { historyOf, hold, reserving, runFile, runHere, startLab } from './lab.ts'
import { startSecureProxy } from './proxy.ts'

const lab = shared((scope) => startLab(scope, 5))

const CERTIFICATES = fileURLToPath(new URL('../http/server/certificates/', import.meta.url))
const [CERTIFICATE, KEY] = ['cert', 'key'].map((part) => join(CERTIFICATES, `first.${part}.pem`)) as [string, string]
const RUN = ['--', 'true']
const reserve = (...args: readonly string[]): readonly string[] => ['reserve', ...args]

const misuses: readonly (readonly [args: readonly string[], why: RegExp])[] = [
  [[], /^berth: a command is missing; see --help\n$/],
  [['steal'], /there is no command "steal"/],
  [['constructor'], /there is no command "constructor"/],
  [reserve(), /--match is missing/],
  [reserve('--match', 'os=a', ...RUN), /--for is missing/],
  [reserve('--match', 'os=a', '--for', '30m'), /COMMAND is missing, after --/],
  [reserve('--match', 'os=a', '--for', '30m', '--', ''), /COMMAND is missing, after --/],
  [reserve('--match', 'os=a', '--for', '0m', ...RUN), /--for must be longer than 0/],
  [reserve('--match', 'os=a', '--for', '30m', '--extend', '0', ...RUN), /--extend must be longer than 0/],
  [reserve('--match', 'os=a', '--for', '30m', 'true'), /true is no option; COMMAND comes after --/],
  [reserve('--match', 'os=a', '--for', 'half an hour', ...RUN), /--for must be like 30m, 2h or 1h30m/],
  [reserve('--match', 'os', '--for', '30m', ...RUN), /--match must be like os=windows, tag.rack=3,4 or os!/],
  [reserve('--not', 'colour=red', '--for', '30m', ...RUN), /--not: colour is none of sut_type, .*name and tag.NAME/],
  [
    reserve('--match', 'tag.a=1', '--match', 'tag.a=2', '--for', '30m', ...RUN),
    /--match has tag.a twice; write tag.a=/,
  ],
  [reserve('--match', 'os=a', '--for', '1h', '--priority', '1', ...RUN), /--priority needs --wait/],
  [reserve('--match', 'os=a', '--for', '1h', '--wait', '1h', '--priority', 'high', ...RUN), /must be a whole number/],
  [reserve('--mtch', 'os=a', ...RUN), /Unknown option '--mtch'/],
  [['release'], /expected RESERVATION/],
  [['connect', 'a', 'b'], /expected RESERVATION/],
  [['list', 'all'], /expected no arguments/],
]
for (const [args, why] of misuses) {
  test(`"${args.join(' ')}" exits with 64 and the reason`, async (t) => {
    const { code, out, errors } = await runHere(args, lab.env)
    t.deepEqual([code, out], [64, ''])
    t.regex(errors, why)
  })
}

test('variables that name no service, or nobody, or a file that others can read, exit with 64', async (t) => {
  const { BERTH_URL, BERTH_TOKEN } = lab.env
  const [open, empty] = [join(lab.folder, 'open'), join(lab.folder, 'empty')]
  await writeFile(open, `${BERTH_TOKEN}\n`, { mode: 0o640 })
  await writeFile(empty, '\n', { mode: 0o600 })
  for (const [env, why] of [
    [{}, /set BERTH_URL, and either BERTH_TOKEN or BERTH_CREDENTIALS_FILE/],
    [{ BERTH_URL }, /set BERTH_URL, and either/],
    [{ BERTH_URL, BERTH_TOKEN, BERTH_CREDENTIALS_FILE: open }, /set BERTH_URL, and either/],
    [{ BERTH_URL: 'lab.example', BERTH_TOKEN }, /BERTH_URL must be like https:/],
    [{ BERTH_URL: 'http://anna@lab.example', BERTH_TOKEN }, /BERTH_URL must be like https:/],
    [{ BERTH_URL: ` ${BERTH_URL}`, BERTH_TOKEN }, /BERTH_URL must not have blanks or line ends/],
    [{ BERTH_URL: `${BERTH_URL}\n`, BERTH_TOKEN }, /BERTH_URL must not have blanks or line ends/],
    [{ BERTH_URL, BERTH_TOKEN: `${BERTH_TOKEN}\n` }, /BERTH_TOKEN must not have blanks or line ends/],
    [{ BERTH_URL, BERTH_TOKEN: 'anna:secret' }, /BERTH_TOKEN must be a token/],
    [{ BERTH_URL, BERTH_CREDENTIALS_FILE: open }, /open can be read by others; run: chmod 600 /],
    [{ BERTH_URL, BERTH_CREDENTIALS_FILE: empty }, /empty must hold one line/],
    [{ BERTH_URL, BERTH_CREDENTIALS_FILE: join(lab.folder, 'none') }, /none cannot be read: ENOENT/],
    [{ BERTH_URL, BERTH_CREDENTIALS_FILE: '/dev/zero' }, /\/dev\/zero must hold one line/],
    [{ BERTH_URL, BERTH_CREDENTIALS_FILE: '/' }, /^berth: \/ must hold one line/],
  ] as const) {
    const { code, errors } = await runHere(reserving(1, ...RUN), env)
    t.is(code, 64, errors)
    t.regex(errors, why)
    t.notRegex(errors, /secret/)
  }
})

test('a refusal exits with 77, and a machine that is not free with 75', async (t) => {
  const nobody = { ...lab.env, BERTH_TOKEN: `berth_${'A'.repeat(43)}` }
  t.like(await runHere(reserving(1, ...RUN), nobody), { code: 77 })
  const none = await runHere(reserving(9, ...RUN), lab.env)
  t.is(none.code, 77)
  t.regex(none.errors, /^berth: 422 no_sut_matches: /)
  const within = await runHere(reserving(1, '--', process.execPath, '-e', ''), lab.env)
  t.is(within.code, 0)
  const body = { user_id: (await lab.service.as('alice').get('/api/user/me')).json._id, sut_id: lab.suts[0] }
  await lab.service.as('alice').post('/api/sut_reservation/create', { ...body, start_in: 0, duration: 1800 })
  const taken = await runHere(reserving(1, ...RUN), lab.env)
  t.is(taken.code, 75)
  t.regex(taken.errors, /^berth: [^\n]*\n$/)
})

test('a COMMAND that there is not exits with 127, one that cannot be run with 126, and nothing is reserved', async (t) => {
  const [script, folder] = [join(lab.folder, 'script'), join(lab.folder, 'folder')]
  await writeFile(script, '#!/no/such/shell -e\n', { mode: 0o755 })
  await mkdir(folder)
  for (const [program, exitCode, why] of [
    ['no-such-program', 127, 'there is no such program'],
    ['/no/such/program', 127, 'there is no such program'],
    [lab.file, 126, 'EACCES'],
    [folder, 126, 'EACCES'],
    [join(lab.file, 'within'), 126, 'ENOTDIR'],
    [script, 126, 'its first line names /no/such/shell, which cannot be run'],
  ] as const) {
    const { code, errors } = await runHere(reserving(2, '--wait', '1h', '--', program), lab.env)
    t.deepEqual([code, errors], [exitCode, `berth: ${program} cannot be run: ${why}\n`])
  }
  t.deepEqual(await historyOf(lab, 2), [])
})

/** A server that is not Berth, or is in front of it. */
const startOther = async (t: ExecutionContext, handle: RequestListener) => {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { ...lab.env, BERTH_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const impostors: readonly (readonly [what: string, why: RegExp, handle: RequestListener])[] = [
  ['a page', /what answers is not Berth; its status is 200\n$/, (_, res) => res.end('<html>')],
  ['a page not found', /what answers is not Berth; its status is 404\n$/, (_, res) => res.writeHead(404).end('{}')],
  [
    'a redirect',
    /is not Berth; its status is 302 and it leads to http:\/\/evil\.example\n$/,
    (_, res) => res.writeHead(302, { Location: 'http://evil.example' }).end(),
  ],
  ['an error of a proxy', /its status is 502\n$/, (_, res) => res.writeHead(502).end('<html>')],
  [
    'an endless answer',
    /the answer is too long\n$/,
    (_, res) => {
      const more = (): void => {
        while (!res.destroyed && res.write('x'.repeat(65_536)));
        if (!res.destroyed) res.once('drain', more)
      }
      more()
    },
  ],
  ['nothing', /socket|closed|ECONNRESET/, (_, res) => res.destroy()],
  ['no id', /the answer of the service has no id\n$/, (_, res) => res.end('{"_id":"../../etc"}')],
]
test('thorough: a server that answers with something else than Berth exits with 69', async (t) => {
  for (const [what, why, handle] of impostors) {
    const { code, errors } = await runHere(reserving(1, ...RUN), await startOther(t, handle))
    t.is(code, 69, what)
    t.regex(errors, why, what)
  }
})

test('a token that ends while COMMAND runs lets it run on while the reservation is in force, and exits with 77', async (t) => {
  const alice = lab.service.as('alice')
  const { token, _id } = (await alice.post('/api/user/me/token', { name: 'short' })).json
  const release = await hold(t, lab, 4, { env: { ...lab.env, BERTH_TOKEN: String(token) }, exitCode: 3 })
  await alice.post(`/api/user/me/token/${_id}/revoke`, {})
  // It is refused every 20 ms.
  const refusals = async () => lab.service.answered.filter(({ status }) => status === 401).length
  await until('it is refused', async () => (await refusals()) > 3, 60_000)
  const { code, errors } = await release()
  t.is(code, 77)
  t.regex(
    errors,
    /\nberth: 401 unauthenticated: [^\n]*; COMMAND runs on while the reservation is in force, \d+ s at most\n/,
  )
  t.is(errors.match(/runs on/g)?.length, 1)
  t.regex(errors, /\nberth: COMMAND ended with 3, but the service refuses: 401 [^\n]*\n$/)
})

test('thorough: where a token has ended, COMMAND ends before its reservation is released', async (t) => {
  const alice = lab.service.as('alice')
  const { token, _id } = (await alice.post('/api/user/me/token', { name: 'shorter' })).json
  const script = "trap 'echo $EPOCHREALTIME; exit' TERM; echo runs; sleep 600 & wait"
  const line = reserving(5, '--keepalive', '30s', '--', 'bash', '-c', script)
  const running = runFile(t, { file: lab.file, env: { ...lab.env, BERTH_TOKEN: String(token) } }, line)
  await running.said('runs')
  await alice.post(`/api/user/me/token/${_id}/revoke`, {})
  const { code, out, errors } = await running.ended
  t.is(code, 77)
  const released = () => historyOf(lab, 5, (_, type, time) => (/Released$/.test(type) ? Date.parse(time) : undefined))
  await until('it is released', async () => (await released()).length > 0, 60_000)
  const [ended, [at]] = [Number(out.split('\n')[1]) * 1000, await released()]
  t.true(ended <= Number(at), `${ended} ${at}`)
  t.regex(errors, /\nberth: the reservation can no longer be kept alive: 401 unauthenticated: [^\n]*\n$/)
})

test('thorough: a signal ends the client while the service is not ready, and the machine is given back', async (t) => {
  const _id = 'a'.repeat(24)
  const asked: (string | undefined)[] = []
  const env = await startOther(t, ({ url }, res) => {
    asked.push(url)
    if (url?.includes('?')) return void res.writeHead(503).end()
    res.end(JSON.stringify({ _id, status: 'granted', sut_reservation_id: _id }))
  })
  const running = runFile(t, { file: lab.file, env }, reserving(1, ...RUN))
  await running.said('retrying')
  running.child.kill('SIGTERM')
  t.like(await running.ended, { code: 143 })
  t.is(asked.at(-1), `/api/sut_reservation/${_id}/cancel`)
})

test('what an answer has for a terminal to do is shown as an escape', async (t) => {
  const evil = '\u001b[2J\u009b2J\u202e\n'
  const refuse: RequestListener = (_, res) => res.writeHead(403).end(JSON.stringify({ code: 'no', detail: evil }))
  const { code, errors } = await runHere(reserving(1, ...RUN), await startOther(t, refuse))
  t.deepEqual([code, errors], [77, 'berth: 403 no: \\u001b[2J\\u009b2J\\u202e\\u000a\n'])
})

test('no more of a long answer is shown than a line of 2,000 characters', async (t) => {
  const long = JSON.stringify({ code: 'no', detail: 'x'.repeat(1_000_000) })
  const { errors } = await runHere(reserving(1, ...RUN), await startOther(t, (_, res) => res.writeHead(403).end(long)))
  t.is(errors.length, 'berth: …\n'.length + 2_000)
})

test('a service that answers at once that a request still waits is not asked again at once', async (t) => {
  let looks = 0
  const answer: RequestListener = (_, res) => {
    looks += 1
    res.end(JSON.stringify({ _id: 'a'.repeat(24), status: looks < 5 ? 'waiting' : 'expired' }))
  }
  const begun = performance.now()
  const ran = await runHere(reserving(1, '--wait', '1h', ...RUN), await startOther(t, answer), { retryMs: 500 })
  t.is(ran.code, 75)
  // The answer to the request, one look without waiting, and two that wait.
  t.true(performance.now() - begun >= 1_000)
})

/** The service behind a certificate that is its own authority, for 127.0.0.1. */
const startSecure = async (t: ExecutionContext, host = '127.0.0.1') => {
  const [cert, key] = await Promise.all([readFile(CERTIFICATE), readFile(KEY)])
  const { port } = await startSecureProxy(t, lab.service.port, { cert, key }, host)
  return { ...lab.env, BERTH_URL: `https://${host}:${port}` }
}

test('a certificate of an authority that is not known exits with 69 at once, and says what to do', async (t) => {
  const { code, errors } = await runHere(reserving(1, ...RUN), await startSecure(t), { outageMs: 60_000 })
  t.is(code, 69)
  t.regex(errors, /^berth: [^\n]* cannot be reached: [^\n]*; set NODE_EXTRA_CA_CERTS to a file [^\n]*\n$/)
})

test('thorough: over https the client trusts the authority of NODE_EXTRA_CA_CERTS, for the names that it has signed', async (t) => {
  const list = async (host: string) => {
    const env = { ...(await startSecure(t, host)), NODE_EXTRA_CA_CERTS: CERTIFICATE }
    return runFile(t, { file: lab.file, env }, ['list']).ended
  }
  t.like(await list('127.0.0.1'), { code: 0, errors: '' })
  const other = await list('127.0.0.2')
  t.is(other.code, 69)
  t.regex(other.errors, /^berth: [^\n]*does not match certificate's altnames[^\n]*\n$/)
})

test('a service that nothing listens for exits with 69', async (t) => {
  const { code, errors } = await runHere(reserving(1, ...RUN), { ...lab.env, BERTH_URL: 'http://127.0.0.1:2' })
  t.is(code, 69)
  t.regex(errors, /^berth: the service at http:\/\/127\.0\.0\.1:2 cannot be reached: .*ECONNREFUSED/)
})

test('thorough: "reserve", "release" and "list" of the command line are the same client', async (t) => {
  const { code, error } = await type(reserving(9, ...RUN), { PATH: process.env.PATH, ...lab.env })
  t.is(code, 77)
  t.regex(error, /^berth: 422 no_sut_matches: /)
  t.is((await type(['reserve'], { BERTH_NONSENSE: '1' })).code, 64)
  t.like(await type(['list'], lab.env), { code: 0, error: '' })
  const released = await type(['release', 'lab-9'], lab.env)
  t.deepEqual([released.code, released.error], [77, 'berth: you have no running reservation of "lab-9"\n'])
})

test('"list", "connect" and "release" mean a reservation by its id, or by the name of its SUT', async (t) => {
  const alice = lab.service.as('alice')
  const body = { user_id: (await alice.get('/api/user/me')).json._id, sut_id: lab.suts[2] }
  const made = (await alice.post('/api/sut_reservation/create', { ...body, start_in: 0, duration: 1800 })).json
  const file = join(lab.folder, 'credentials')
  await writeFile(file, `alice:${passwordOf('alice')}\n`, { mode: 0o600 })
  const env = { BERTH_URL: lab.env.BERTH_URL, BERTH_CREDENTIALS_FILE: file }
  const { out } = await runHere(['list'], env)
  t.true(out.split('\n').includes([made._id, 'lab-3', made.start_time, made.end_time].join('\t')))
  await lab.service.as('admin').post(`/api/sut/${lab.suts[2]}/update`, { name: 'prüfstand-3' })
  t.is((await runHere(['connect', 'PRÜFSTAND-3'.normalize('NFD')], env)).code, 0)
  await lab.service.as('admin').post(`/api/sut/${lab.suts[2]}/update`, { name: 'lab-3' })
  const connected = await runHere(['connect', 'LAB-3'], env)
  t.is(connected.out, `127.0.0.1\t${made.listen_port}\tnc -- 127.0.0.1 ${made.listen_port}\n`)
  t.is((await runHere(['release', String(made._id)], env)).code, 0)
  const again = await runHere(['release', 'lab-3'], env)
  t.deepEqual([again.code, again.errors], [77, 'berth: you have no running reservation of "lab-3"\n'])
})
