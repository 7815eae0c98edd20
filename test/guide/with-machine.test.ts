import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { breakOff, breakOffWithin, refuse, startProxy } from '../client/proxy.ts'
import { temporaryData } from '../http/harness.ts'
import { ANY, FILE, run, SCRIPT, startScriptLab } from './script-lab.ts'

test('the service hands out the script', async (t) => {
  const { service } = await startScriptLab(t)
  t.is((await service.anyone.get('/client/with-machine.sh')).text, SCRIPT)
})

for (const [when, first] of [
  ['the answer is lost', breakOff],
  ['the answer breaks off', breakOffWithin],
  ['the service is busy at first', refuse()],
] as const) {
  test(`thorough: the script for pipelines reserves once and releases, when ${when}`, async (t) => {
    const { service, sut, env } = await startScriptLab(t)
    const proxy = await startProxy(t, service.port, '/api/sut_request/create', [first])
    const { code, out } = await run(t, [ANY, '15m', 'echo', 'tested'], { ...env, BERTH_URL: proxy.url }).ended
    t.deepEqual([code, out, proxy.count()], [0, 'tested\n', 2])
    const { json } = await service.as('admin').get(`/api/sut_reservation?sut_id=${sut}`)
    const { text } = await service.as('admin').get(`/api/sut/${sut}/history`)
    t.is(json.count, 1)
    t.regex(text, /"berth\.ReservationReleased"/)
  })
}

/** Says something to the machine, and prints what it answers. */
const TALK = 'exec 3<> /dev/tcp/$SUT_HOST/$SUT_PORT; echo $SUT_ID >&3; head -n 1 <&3; env | grep -c ^BERTH_'

test('the script runs a command on a machine, without credentials, and exits as it does', async (t) => {
  const { sut, env } = await startScriptLab(t)
  for (const code of [0, 3]) {
    const ran = await run(t, [ANY, '900', 'bash', '--norc', '-c', `${TALK}; exit ${code}`], env).ended
    t.deepEqual([ran.code, ran.out, ran.errors], [code, `${sut}\n1\n`, ''])
  }
})

const ENV = { PATH: process.env.PATH, BERTH_URL: 'http://127.0.0.1:9', BERTH_TOKEN: 'berth_x' }

test('a script that lacks an argument, a service or credentials, or cannot read one, says which and exits with 64', async (t) => {
  const { BERTH_URL, BERTH_TOKEN, ...bare } = ENV
  const RIGHT = [ANY, '900', 'true']
  for (const [args, env, why] of [
    [[ANY, '900'], ENV, 'an argument is missing'],
    [RIGHT, { ...bare, BERTH_TOKEN }, 'BERTH_URL is not set'],
    [RIGHT, { ...bare, BERTH_URL }, 'BERTH_TOKEN is not set'],
    [['os=linux', '900', 'true'], ENV, 'MATCH must be JSON'],
    [[ANY, '15 minutes', 'true'], ENV, 'a duration is like 900, 15m or 1h30m, not 15 minutes'],
    [[ANY, '-1', 'true'], ENV, 'a duration is like 900, 15m or 1h30m, not -1'],
    [RIGHT, { ...bare, BERTH_URL, BERTH_CREDENTIALS_FILE: '/no/file' }, 'BERTH_CREDENTIALS_FILE cannot be read'],
    [RIGHT, { ...ENV, WAIT: 'm' }, 'a duration is like 900, 15m or 1h30m, not m'],
    [RIGHT, { ...ENV, EXTEND: '15m1' }, 'a duration is like 900, 15m or 1h30m, not 15m1'],
  ] as const) {
    const { code, errors } = await run(t, args, env).ended
    t.is(code, 64)
    t.regex(errors, /\nusage: .* MATCH DURATION COMMAND\.\.\.\n$/)
    t.deepEqual(
      errors.split('\n').filter((line) => line.startsWith('berth: ')),
      [`berth: ${why}`],
    )
  }
})

/** The environment in which `curl` is this script. */
const withCurl = async (t: ExecutionContext, script: string) => {
  const folder = join(await temporaryData(t), 'bin')
  await mkdir(folder)
  await writeFile(join(folder, 'curl'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { ...ENV, PATH: `${folder}:${process.env.PATH}` }
}

test('a script whose curl is too old says so', async (t) => {
  const env = await withCurl(t, 'echo "curl: option $1: is unknown" >&2; exit 2')
  const { code, errors } = await run(t, [ANY, '900', 'true'], env).ended
  t.is(code, 64)
  t.regex(errors, /^berth: curl 7\.76 or later is needed\n/)
})

test('a script that does not reach the service says what curl says', async (t) => {
  const env = await withCurl(t, 'exec /usr/bin/env PATH=/usr/bin:/bin:/usr/local/bin curl "$@" --retry 0')
  const { code, errors } = await run(t, [ANY, '900', 'true'], env).ended
  t.is(code, 77)
  t.regex(errors, /^berth: curl: \(7\) .*127\.0\.0\.1.*\n$/)
})

test('a script takes durations with units, and what it asks for is in seconds', async (t) => {
  const env = await withCurl(
    t,
    'for each; do case $each in *duration*) echo "$each" | tr -d "\\n " >&2; exit 22; esac; done',
  )
  const { errors } = await run(t, [ANY, '1h30m', 'true'], { ...env, WAIT: '2d' }).ended
  t.is(errors, `berth: {"match":${ANY},"duration":5400,"wait":172800,"keepalive":120}\n`)
})

test('thorough: nothing outlives the script where its processes ignore SIGTERM', async (t) => {
  const { env } = await startScriptLab(t)
  const { ended } = run(t, ['trap "" TERM; exec sh "$0" "$@"', FILE, ANY, '900', 'true'], env, { file: '-c' })
  const { code, errors } = await ended
  t.deepEqual([code, errors], [0, ''])
})

test('thorough: the script waits in the queue, releases its machine when it is killed, and tells 75, 76 and 77', async (t) => {
  const { service, env, held } = await startScriptLab(t)
  const sleeping = [ANY, '900', 'sh', '-c', 'echo begun; exec sleep 60']
  const first = run(t, sleeping, env)
  await first.said('begun')
  const taken = await run(t, [ANY, '900', 'true'], env).ended
  t.is(taken.code, 75)
  t.regex(taken.errors, /^berth: no_sut_free: /)
  t.is((await run(t, ['{"os":"none"}', '900', 'true'], env).ended).code, 77)
  const second = run(t, sleeping, { ...env, WAIT: '10m' })
  await second.said('waiting as number 1')
  first.kill('SIGTERM')
  t.is((await first.ended).code, 143)
  await second.said('begun')
  t.is((await service.as('admin').post(`/api/sut_reservation/${await held()}/cancel`, {})).status, 200)
  const { code, errors } = await second.ended
  t.is(code, 76)
  t.regex(
    errors,
    /^berth: waiting as number 1 in the queue: [\s\S]*berth: the reservation is no longer in force: reservation_over: .*\nberth: the command ended with 143\n$/,
  )
  t.is(await held(), undefined)
})
