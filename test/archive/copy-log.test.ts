import test from 'ava'
import fc from 'fast-check'
import { readKnownKey } from '../../src/audit/audit-key.ts'
import { sutStream } from '../../src/domain/values/ids.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { idOf } from '../domain/builders.ts'
import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'
import { aLogOn } from '../event-store/eventstoredb/subject.ts'
import { storeKeys } from '../event-store/stored-keys.ts'
import { rounds } from '../thorough.ts'
import { rightOf } from '../users/builders.ts'
import { givePassword, passwordOf, ringOf, vaultOver } from '../vault/setting.ts'
import { aTarget, copied, fails, prepared, rootOf } from './copying.ts'
import { anEmbeddedLog, anyRuns, notes, textsOf } from './histories.ts'

const server = await startProtocolServer()
test.after.always(server.close)

test('property: a copy of any log has the same bytes, order and root', async (t) => {
  await fc.assert(
    fc.asyncProperty(anyRuns, async (runs) => {
      const { source, target } = await prepared(t, server.address, runs)
      const { events, found, root } = await copied(source, target)
      t.deepEqual(await textsOf(target), await textsOf(source))
      t.deepEqual([events, found], [runs.flatMap((run) => run.events).length, 0])
      t.deepEqual([await rootOf(target), await rootOf(source)], [root, root])
      await Promise.all([source.close(), target.close()])
    }),
    { numRuns: rounds(3, 12) },
  )
})

test('consecutive events of one stream share an append, up to its limits', async (t) => {
  const [one, other] = [sutStream(idOf(1)), sutStream(idOf(2))]
  const runs = [notes(one, 3, ''), notes(one, 2, ''), notes(other, 1, ''), notes(one, 1, ''), notes(other, 501, '')]
  const { source, target } = await prepared(t, server.address, runs)
  const sizes: number[] = []
  const append: typeof target.append = (stream, expected, events) => {
    sizes.push(events.length)
    return target.append(stream, expected, events)
  }
  await copied(source, { ...target, append })
  t.deepEqual(sizes, [5, 1, 1, 500, 1])
  t.deepEqual(await textsOf(target), await textsOf(source))
})

test('thorough: the size of an append is counted in bytes, not characters', async (t) => {
  const { source, target } = await prepared(t, server.address, [notes(sutStream(idOf(1)), 200, '\u6a5f'.repeat(4_090))])
  t.is((await copied(source, target)).events, 200)
  t.deepEqual(await textsOf(target), await textsOf(source))
})

test('secrets in the copy can be decrypted only with the same keys', async (t) => {
  const { store: source } = await anEmbeddedLog(t)
  const [old, ring] = [ringOf('k1'), ringOf('k2')]
  const both = { current: ring.current, keys: [...ring.keys, ...old.keys] }
  const before = await vaultOver(source, old)
  const first = await givePassword(source, before, 'first')
  const changed = await givePassword(source, before, 'second')
  await givePassword(source, await vaultOver(source, both), 'third', changed)
  const target = await aTarget(t, source, aLogOn(server.address))
  t.is((await copied(source, target)).secrets, 6, 'two for each SUT, and a key check value for each key')
  t.is(await passwordOf(target, both, first), 'first')
  t.is(await passwordOf(target, both, changed), 'third')
  await t.notThrowsAsync(vaultOver(target, both))
  await t.throwsAsync(vaultOver(target, ringOf('k1', 'k2')), { message: /the key ..k1.. is not the one/ })
  // Secrets recorded after the copy replace copied ones.
  await givePassword(target, await vaultOver(target, both), 'fourth', changed)
  t.is(await passwordOf(target, both, changed), 'fourth')
})

test('the copy knows the audit key of the source', async (t) => {
  const { store: source } = await anEmbeddedLog(t)
  await storeKeys(source, Buffer.alloc(32, 5).toString('base64'))
  const target = await aTarget(t, source, aLogOn(server.address))
  await copied(source, target)
  const known = rightOf(await readKnownKey(target))
  t.truthy(known)
  t.deepEqual(known, rightOf(await readKnownKey(source)))
})

test('secrets replaced or removed in the source are updated by a second run', async (t) => {
  const { store: source } = await anEmbeddedLog(t)
  const ring = ringOf('k1')
  const vault = await vaultOver(source, ring)
  const [stays, goes] = [await givePassword(source, vault, 'one'), await givePassword(source, vault, 'two')]
  const target = await aTarget(t, source, aLogOn(server.address))
  await copied(source, target)
  await source.exchangeSecrets((await source.readSecrets(goes)).map((old) => ({ old })))
  await givePassword(source, vault, 'three', stays)
  await copied(source, target)
  t.deepEqual(await target.readSecrets(goes), [])
  t.deepEqual(await target.readSecrets(stays), await source.readSecrets(stays))
  t.is(await passwordOf(target, ring, stays), 'three')
})

test('a target that loses an event is detected by its root', async (t) => {
  const { source, target } = await prepared(t, server.address, [
    notes(sutStream(idOf(1)), 4, ''),
    notes(sutStream(idOf(2)), 1, ''),
  ])
  const lossy: EventStore = {
    ...target,
    append: async (stream, expected, events) =>
      stream === sutStream(idOf(2))
        ? { _tag: 'Right', right: { revision: 0, storePosition: toStorePosition(0) } }
        : target.append(stream, expected, events),
  }
  await fails(t, source, lossy, /^the target has 4 events with the root \S+, the source 5 with \S+$/)
})
