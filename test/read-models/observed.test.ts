import test from 'ava'
import type { NewEvent, Recorded } from '../../src/domain/event.ts'
import { monitoringStream, sutStream } from '../../src/domain/values/ids.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import { makeFromLog } from '../../src/read-models/from-log.ts'
import {
  metadata,
  SUT_ID,
  sutCreated,
  sutMonitoringEnabled,
  sutRetired,
  sutUpdated,
  sutWentOffline,
  sutWentOnline,
} from '../domain/builders.ts'

const OWN = sutStream(SUT_ID)
const PROBES = monitoringStream(SUT_ID)

/** The events in log order, each in its stream. */
const LOG: readonly Recorded[] = (() => {
  const next = new Map<string, number>()
  const events = [
    sutCreated(),
    sutMonitoringEnabled(),
    sutWentOnline(),
    sutUpdated({ os: 'linux' }),
    sutWentOffline('timed_out'),
    sutUpdated({ port: 4711 }),
    sutWentOnline(),
    sutRetired(),
    sutWentOffline('refused'),
  ]
  return events.map((event, n) => {
    const stream = event.type.startsWith('SutWent') ? PROBES : OWN
    const revision = next.get(stream) ?? 0
    next.set(stream, revision + 1)
    const made = { ...event, id: String(n), metadata: metadata(`2030-05-02T06:00:0${n}.000Z`) } as NewEvent
    return { ...made, stream, revision, storePosition: toStorePosition(n) }
  })
})()

const store = {
  readStream: async function* (stream: string, after: number) {
    yield LOG.filter((event) => event.stream === stream && event.revision > after)
  },
}
const fromLog = makeFromLog(store as never)
const read = async (revision: number, withObserved: boolean): Promise<readonly unknown[]> => {
  const { version, storePosition } = await fromLog('sut', SUT_ID, revision, OWN, withObserved)
  const { monitoring } = JSON.parse(version.document)
  return [version.revision, version.observed, monitoring.status, version.ended, storePosition]
}

test('a document folded from two streams shows an own event with what was observed before it', async (t) => {
  t.deepEqual(await read(0, false), [0, 0, 'SUT Monitoring Disabled', null, 0])
  t.deepEqual(await read(1, false), [1, 0, 'Unknown', null, 1])
  t.deepEqual(await read(2, false), [2, 1, 'Online', null, 3])
  t.deepEqual(await read(3, false), [3, 2, 'Unknown', null, 5])
  t.deepEqual(await read(4, false), [4, 3, 'SUT Monitoring Disabled', 'retired', 7])
})

test('where nothing was recorded, it also shows what was observed up to the next own event', async (t) => {
  t.deepEqual(await read(0, true), [0, 0, 'SUT Monitoring Disabled', null, 0])
  t.deepEqual(await read(1, true), [1, 1, 'Online', null, 2])
  t.deepEqual(await read(2, true), [2, 2, 'Offline', null, 4])
  t.deepEqual(await read(4, true), [4, 4, 'SUT Monitoring Disabled', 'retired', 8])
})
