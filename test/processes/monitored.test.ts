import { join } from 'node:path'
import test from 'ava'
import type { Event } from '../../src/domain/event.ts'
import { monitoringStream, sutStream } from '../../src/domain/values/ids.ts'
import { followMonitored } from '../../src/processes/monitoring/monitored.ts'
import type { SutListQuery } from '../../src/read-models/lists/suts.ts'
import type { Views } from '../../src/read-models/views.ts'
import { SUT_ID, sutCreated, sutMonitoringEnabled, sutWentOffline, sutWentOnline } from '../domain/builders.ts'
import { at, recordedAt } from '../domain/given-when-then.ts'
import { append } from '../event-store/new-events.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { temporaryData } from '../http/harness.ts'
import { viewsOn } from '../read-models/setting.ts'

test('a SUT that changes state between all pages that are read is monitored all the same', async (t) => {
  const data = await temporaryData(t)
  const store = openStore(t, join(data, 'events.db'))
  const record = async (stream: string, revision: number, ...events: readonly Event[]): Promise<void> => {
    const recorded = events.map((event, n) => recordedAt(revision + 1 + n, at('05:00', event)))
    const newEvents = recorded.map(({ stream: _, revision: __, storePosition: ___, ...event }) => event)
    await append(store, stream, revision, newEvents)
  }
  await record(sutStream(SUT_ID), -1, sutCreated(), sutMonitoringEnabled())
  await record(monitoringStream(SUT_ID), -1, sutWentOnline())
  const views = await viewsOn(t, store, join(data, 'views.db'))

  let changes = 0
  const read = (async (name: 'suts', query: SutListQuery) => {
    const page = await views.read(name, query)
    await record(monitoringStream(SUT_ID), changes++, changes % 2 === 0 ? sutWentOnline() : sutWentOffline())
    t.true(await views.waitForStorePosition(await store.head(), 10_000))
    return page
  }) as Views['read']
  let now = 0
  const suts = followMonitored({ views: { ...views, read }, sinceBoot: () => now, onChanged: t.fail })
  t.true(await suts.load())
  t.true(changes > 0)
  t.is(suts.get(SUT_ID)?.shown.status, changes % 2 === 0 ? 'online' : 'offline')
  t.is(suts.size(), 1)
  now = 60_000
  t.deepEqual(suts.takeDue(), [SUT_ID])
})
