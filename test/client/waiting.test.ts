import test from 'ava'
import { shared } from '../http/shared.ts'
import { until } from '../http/until.ts'
import { HELD, historyOf, hold, reserving, runFile, runHere, startLab } from './lab.ts'

/** Each test has a machine of its own. */
const lab = shared((scope) => startLab(scope, 5))

test('thorough: with --wait a machine that is free is had at once', async (t) => {
  const { code, errors } = await runHere(reserving(1, '--wait', '1h', '--', 'true'), lab.env)
  t.is(code, 0)
  t.regex(errors, /^berth: reserved lab-1 until [^\n]*\n$/)
  t.deepEqual(await historyOf(lab, 1, ({ keepalive }) => keepalive), [120])
})

test('one who waits is told the place and the reasons, and gets the machine that is given back', async (t) => {
  const release = await hold(t, lab, 2)
  const waiting = runFile(t, lab, reserving(2, '--wait', '1h', '--', 'echo', 'begun'))
  await waiting.said('waiting as number 1 in the queue')
  await release()
  const { code, out, errors } = await waiting.ended
  t.deepEqual([code, out], [0, 'begun\n'])
  t.regex(errors, /^berth: waiting as number 1 [^\n]*1 machine fits\.[^\n]*\nberth: reserved lab-2/)
  t.deepEqual(await historyOf(lab, 2), [...HELD, ...HELD])
})

test('one who waits in vain exits with 75; one who is interrupted is no longer in the queue', async (t) => {
  const release = await hold(t, lab, 3)
  const vain = runHere(reserving(3, '--wait', '1s', '--', 'true'), lab.env)
  const waiting = runFile(t, lab, reserving(3, '--wait', '1h', '--', 'echo', 'begun'))
  await waiting.said('in the queue')
  const mine = (await runHere(['list'], lab.env)).out.split('\n').filter((line) => line.includes('"n":"3"'))
  const [line = ''] = mine.slice(-1)
  t.regex(line, /^[0-9a-f]{24}\t\{[^\t]*\}\twaiting\t20\S+Z$/)
  const json = JSON.parse((await runHere(['list', '--json'], lab.env)).out) as readonly {
    _id: string
    status?: string
  }[]
  t.is(json.find(({ _id }) => _id === line.split('\t')[0])?.status, 'waiting')
  waiting.child.kill('SIGINT')
  t.like(await waiting.ended, { code: 130, out: '' })
  const late = await vain
  t.is(late.code, 75)
  t.regex(late.errors, /\nberth: no machine became free in time\n$/)
  // Other tests wait for their own machines meanwhile.
  const alice = lab.service.as('alice')
  const [sut] = (await alice.get('/api/sut?name=lab-3')).json.suts as readonly { readonly _id: string }[]
  t.is((await alice.get(`/api/sut_request?status=waiting&sut_id=${sut?._id}`)).json.count, 0)
  await release()
  t.deepEqual(await historyOf(lab, 3), HELD)
})

test('thorough: a priority below 0 is taken, and one that is too high is refused', async (t) => {
  const line = (priority: string) => reserving(5, '--wait', '1h', '--priority', priority, '--', 'true')
  t.is((await runHere(line('-5'), lab.env)).code, 0)
  const high = await runHere(line('101'), lab.env)
  t.is(high.code, 77)
  t.regex(high.errors, /^berth: 422 invalid: /)
})

test('"release" withdraws a request that waits, by its id', async (t) => {
  const release = await hold(t, lab, 4)
  const waiting = runHere(reserving(4, '--wait', '1h', '--', 'true'), lab.env)
  const find = async () =>
    (await runHere(['list'], lab.env)).out.split('\n').find((line) => /"n":"4".*waiting/.test(line))
  await until('it waits', async () => (await find()) !== undefined, 60_000)
  const [id = ''] = String(await find()).split('\t')
  t.like(await runHere(['release', id], lab.env), { code: 0, errors: '' })
  const { code, errors } = await waiting
  t.is(code, 77)
  t.regex(errors, /\nberth: the request was withdrawn\n$/)
  const none = await runHere(['release', '0'.repeat(24)], lab.env)
  t.deepEqual([none.code, none.errors], [77, 'berth: 404 reservation_not_found: No reservation has this id.\n'])
  await release()
})
