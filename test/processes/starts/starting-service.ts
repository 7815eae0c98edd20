import { join } from 'node:path'
import { makeNewEvents } from '../../../src/commands/command-envelope.ts'
import { SCHEDULE } from '../../../src/commands/log-events.ts'
import type { Event } from '../../../src/domain/event.ts'
import { LISTEN_PORTS_STREAM, makeId, SCHEDULE_STREAM, sutStream } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds, formatWithOffset } from '../../../src/domain/values/instant.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { administrator, sutValues } from '../../domain/builders.ts'
import { append, randomHex } from '../../event-store/new-events.ts'
import { idOf, start, temporaryData } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { withScope } from '../../process/scope.ts'

/**
 * A service in a process of its own, with `count` reservations that begin together a minute after its time. Each message
 * is a time to set its clock to.
 */

const BEGIN = Date.parse('2030-05-02T05:59:00Z')
const onFatal = (error: unknown): never => {
  throw error
}

const eventsOf = (events: readonly Event[], actor = administrator) =>
  makeNewEvents(events, { actor, requestId: 'setting' }, BEGIN, randomHex)

/** Writes the SUTs with their reservations, hundreds of appends at a time. */
const writeLog = async (path: string, count: number): Promise<void> => {
  const store = openSqliteStore({ path, randomHex, onFatal })
  const suts = Array.from({ length: count }, (_, n) => ({ _id: makeId(BEGIN, randomHex(8)), listen_port: 20_000 + n }))
  const window = {
    start_time: formatWithOffset(BEGIN / 1000 + 60, 0),
    end_time: formatWithOffset(BEGIN / 1000 + 960, 0),
  }
  const write = async (stream: string, expected: number, events: readonly Event[], actor = administrator) => {
    const { _tag } = await append(store, stream, expected, eventsOf(events, actor))
    if (_tag === 'Left') throw new Error(`${stream} was not written`)
  }
  await write(LISTEN_PORTS_STREAM, -1, [{ type: 'LogVersionSet', data: { version: 4 } }])
  await write(SCHEDULE_STREAM, -1, [{ type: 'ScheduleBegan', data: { from: formatMilliseconds(BEGIN) } }], SCHEDULE)
  for (let n = 0; n < suts.length; n += 500) {
    const some = suts.slice(n, n + 500)
    const assigned = some.map(({ _id, listen_port }): Event => {
      return { type: 'ListenPortAssigned', data: { listen_port, sut_id: _id } }
    })
    await write(LISTEN_PORTS_STREAM, n, assigned)
    const each = some.map(({ _id, listen_port }) => {
      const reserved = { _id: makeId(BEGIN, randomHex(8)), sut_id: _id, user_id: idOf('alice'), listen_port, ...window }
      return write(sutStream(_id), -1, [
        { type: 'SutCreated', data: { ...sutValues(), _id, listen_port } },
        { type: 'ReservationCreated', data: reserved },
      ])
    })
    await Promise.all(each)
  }
  await store.close()
}

await withScope(async (scope) => {
  const data = await temporaryData(scope)
  await writeLog(join(data, 'events.db'), Number(process.argv[2]))
  const service = await start(scope, {
    data,
    now: new Date(BEGIN).toISOString(),
    environment: { BERTH_LISTEN_PORTS: '20000-31000' },
  })
  await until('ready', async () => (await service.anyone.get('/health/ready')).status === 200, 120_000)
  const ticking = setInterval(service.tick, 50)
  process.on('message', (time) => service.clock.set(String(time)))
  process.send?.(service.port)
  await new Promise((resolve) => process.once('disconnect', resolve))
  clearInterval(ticking)
})
