/** The command `berth copy`. */

import test from 'ava'
import { UnusableLog } from '../../src/event-store/event-store.ts'
import { type } from '../command-line/terminal.ts'
import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'
import { accessDenied } from '../event-store/eventstoredb/protocol/wire.ts'
import { aLogOn, openAt } from '../event-store/eventstoredb/subject.ts'
import { run } from '../process/harness.ts'
import { aLog, foundAt, startEmbedded } from './copying.ts'

const server = await startProtocolServer()
test.after.always(server.close)

test('"copy" copies the log and prints the number of events, the rate and the common root', async (t) => {
  const { args, to, root, texts } = await aLog(t, server.address, 25)
  const { code, out, error } = await type(args)
  t.deepEqual([code, error], [0, ''])
  const [first, second] = out.split('\n') as [string, string]
  t.regex(first, /^esdb:\/\/127\.0\.0\.1:\d+: 25 events, 0 of them already there, \d+ a second$/)
  t.is(second, `0 encrypted secrets; root ${root} in both`)
  t.deepEqual(await foundAt(t, to), texts)
})

test('"copy" shows its progress and rate on a terminal, and clears them at the end, also of one that fails', async (t) => {
  const own = await startProtocolServer()
  t.teardown(own.close)
  const { path, texts } = await aLog(t, server.address, 12)
  const args = ['copy', '--from', `sqlite:${path}`, '--to', own.address]
  own.failNext('subscription', accessDenied())
  const failed = await type(args, {}, { isWatched: true })
  t.is(failed.code, 1)
  t.regex(failed.error, /\r12 of 12 events, \d+ a second/)
  const why = 'berth: the log cannot be followed: the event store denies access to $all with these credentials\n'
  t.true(failed.error.endsWith(`\r\u001b[K${why}`), failed.error)
  t.is((await type(args)).error, '')
  t.deepEqual(await foundAt(t, own.address), texts)
})

test('"copy" is refused while a service runs on the log, and names its process', async (t) => {
  const service = await startEmbedded(t)
  const to = aLogOn(server.address)
  const args = ['copy', '--from', `sqlite:${service.data}/events.db`, '--to', to]
  const { code, output, errors } = await run({ data: service.data, args })
  t.deepEqual([code, output], [1, ''])
  t.regex(errors, new RegExp(`^berth: .*events\\.db\\.lock is held by process ${process.pid} on .*\\n$`))
  await t.throwsAsync(foundAt(t, to), { instanceOf: UnusableLog, message: /there is no log/ })
})

test('"copy" is refused if the target contains a log: of a service, of another copy, or complete', async (t) => {
  const { args, to, path, texts, data } = await aLog(t, server.address, 4)
  const { path: other } = await aLog(t, server.address, 2)
  const service = aLogOn(server.address)
  const { logId } = await openAt(t, service)
  const refused = await type(['copy', '--from', `sqlite:${path}`, '--to', service])
  t.deepEqual(
    [refused.code, refused.error],
    [1, `berth: the event store already contains the log ${logId}: copy into an empty one\n`],
  )
  t.is((await type(args)).code, 0)
  for (const from of [path, other]) {
    const again = await run({ data, args: ['copy', '--from', `sqlite:${from}`, '--to', to] })
    t.deepEqual([again.code, again.output], [1, ''])
    t.regex(again.errors, /^berth: the event store already contains the log [0-9a-f]{24}: copy into an empty one\n$/)
  }
  t.deepEqual(await foundAt(t, to), texts)
})

const CANARY = 'CaNaRy'

test('a wrong --from or --to exits with 2 and a message without values', async (t) => {
  const from = 'sqlite:events.db'
  const to = `esdb://berth:${CANARY}@localhost:1`
  for (const [args, why] of [
    [['--from', from, '--to', `esdb://berth:${CANARY}@`], /^berth: --to must list hosts/],
    [['--from', from, '--to', `esdb://berth:${CANARY}@127.0.0.1:1`], /^berth: --to cannot use an IP address/],
    [['--from', from, '--to', `${to}?a=${CANARY}`], /^berth: --to has an unknown option: "a"\n$/],
    [['--from', from, '--to', from], /^berth: --to must be like esdb:/],
    [['--from', to, '--to', to], /^berth: --from must be like sqlite:/],
    [['--from', from], /^berth: --to must be like esdb:/],
  ] as const) {
    const { code, out, error } = await type(['copy', ...args])
    t.deepEqual([code, out], [2, ''], error)
    t.regex(error, why)
    t.is(error.split('\n').length, 2, error)
    t.false(error.includes(CANARY))
  }
})
