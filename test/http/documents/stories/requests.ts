import type { Example } from '../../../../src/http/documents/openapi/examples.ts'
import { idOf, type Tidying } from '../../harness.ts'
import { aSut, createSut } from '../../requests.ts'
import { until } from '../../until.ts'
import { makeAsk, startStory } from './story.ts'

/** Requests that wait for the one SUT of a lab, and each of their refusals. */

const CREATE = 'POST /api/sut_request/create'
const READ = 'GET /api/sut_request/:id'
const LIST = 'GET /api/sut_request'
const WITHDRAW = 'POST /api/sut_request/:id/withdraw'
const KEEP = 'POST /api/sut_request/:id/keepalive'
/** Requests of a user at the same time. */
const WAITING_MAX = 100

export const tellRequests = async (t: Tidying): Promise<readonly Example[]> => {
  const examples: Example[] = []
  const service = await startStory(t)
  const ask = makeAsk(service, examples)
  await createSut(service.as('admin'), aSut({ os: 'windows', tags: { rack: '4' } }))
  const any = { match: { os: 'windows', tags: { rack: ['3', '4'] } }, duration: 1_800 }
  const granted = await ask(CREATE, 'One is free', { who: 'alice', body: { ...any, keepalive: 120 } })
  const waits = await ask(CREATE, 'It waits', { who: 'bob', body: { ...any, wait: 3_600 } })
  const at = String(waits._id)
  await ask(READ, 'It waits', { who: 'bob', at })
  await ask(LIST, 'All who wait', { who: 'alice', query: '?status=waiting' })
  await ask(READ, 'No such request', { at: '58c38f5d444553252cce0000' })
  await ask(CREATE, 'Now or never', { who: 'bob', body: { ...any, wait: 0 } })
  await ask(CREATE, 'None fits', { who: 'bob', body: { ...any, match: { os: 'beos' } } })
  await ask(CREATE, 'For another', { who: 'bob', body: { ...any, user_id: idOf('alice') } })
  await service.as('admin').post(`/api/user/${idOf('bob')}/update`, { quota: { priority_max: 0 } })
  await ask(CREATE, 'First of all', { who: 'bob', body: { ...any, priority: 10 } })
  const kept = await service.as('bob').post('/api/sut_request/create', { ...any, wait: 3_600, keepalive: 120 })
  const keptAt = String(kept.json._id)
  await ask(KEEP, 'It still waits', { who: 'bob', at: keptAt })
  await ask(KEEP, 'Of another', { who: 'alice', at: keptAt })
  await ask(KEEP, 'Without keepalive', { who: 'bob', at })
  await ask(KEEP, 'It was granted', { who: 'alice', at: String(granted._id) })
  await ask(KEEP, 'No such request', { who: 'bob', at: '58c38f5d444553252cce0000' })
  await service.as('bob').request('POST', `/api/sut_request/${keptAt}/withdraw`)
  await ask(KEEP, 'It is over', { who: 'bob', at: keptAt })
  await ask(WITHDRAW, 'Of another', { who: 'alice', at })
  await ask(WITHDRAW, 'It waits', { who: 'bob', at })
  await ask(WITHDRAW, 'It was granted', { who: 'alice', at: String(granted._id) })
  const brief = await service.as('bob').post('/api/sut_request/create', { ...any, wait: 1 })
  service.clock.set('2030-05-02T05:59:00Z')
  const briefId = String(brief.json._id)
  await until(
    'expired',
    async () => {
      service.tick()
      return (await service.as('bob').get(`/api/sut_request/${briefId}`)).json.status === 'expired'
    },
    60_000,
  )
  await ask(WITHDRAW, 'It has expired', { who: 'bob', at: briefId })
  const silent = await service.as('bob').post('/api/sut_request/create', { ...any, keepalive: 30 })
  // In steps that are no break: nobody could keep it alive in one.
  for (const second of ['09', '18', '27', '36', '45']) {
    service.clock.set(`2030-05-02T05:59:${second}Z`)
    service.tick()
    await service.anyone.get('/health/live')
  }
  for (let n = 0; n < WAITING_MAX; n++) await service.as('bob').post('/api/sut_request/create', any)
  await ask(CREATE, 'One too many', { who: 'bob', body: any })
  await ask(KEEP, 'One too many', { who: 'bob', at: String(silent.json._id) })
  return examples
}
