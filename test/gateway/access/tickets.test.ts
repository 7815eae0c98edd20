import { join } from 'node:path'
import test from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { basic } from '../../http/client.ts'
import { temporaryData } from '../../http/harness.ts'
import { reserved } from '../../http/requests.ts'
import { makeHold } from '../../http/store/held-views.ts'
import { changedStore } from '../../http/store/stores.ts'
import { until } from '../../http/until.ts'
import { openAt, SOON } from '../console/stage.ts'
import {
  asAdmin,
  codeOfRefusal,
  consoleFor,
  given,
  hasEnded,
  inTime,
  isForwarded,
  NEW,
  oneService,
  stillWorks,
  twoInstances,
} from './stage.ts'

/** Tickets and consoles whose user's access ends before they are open, or is known to have ended elsewhere only. */

test('a console that attaches while its holder gets a new password is not opened', async (t) => {
  const data = await temporaryData(t)
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isHeld = false
  // Looking for the SUT's password waits.
  const hold = ({ readSecrets }: EventStore): Partial<EventStore> => ({
    readSecrets: async (...owners) => {
      if (isHeld && !owners.some((owner) => owner.startsWith('user:'))) {
        reached.resolve()
        await goOn.promise
      }
      return readSecrets(...owners)
    },
  })
  const place = await oneService(t, { data, openStore: changedStore(join(data, 'events.db'), hold) })
  const { carol } = await given(t, place)
  isHeld = true
  const opening = openAt(t, { service: place.serving }, carol.ticketUrl)
  await reached.promise
  await asAdmin(place, carol, 'password', { password: NEW })
  await hasEnded(t, carol)
  goOn.resolve()
  t.is(codeOfRefusal(await opening), 'ticket_invalid')
})

test('thorough: a console ends with a new password even if its reservation was never bound', async (t) => {
  const { place, carol } = await given(t, await oneService(t))
  const { serving } = place
  await serving.as('admin').request('POST', `${carol.path}/cancel`)
  await carol.console.closed
  serving.clock.set('2030-05-02T06:15:00.000Z')
  const window = { start_time: '2030-05-02T06:15:00Z', end_time: '2030-05-02T06:30:00Z' }
  const made = await reserved(serving.as('admin'), { user_id: carol.id, sut_id: carol.sutId, ...window })
  const path = String(made.headers.location)
  await until('the port is open', () => isForwarded(place, carol.name, path), SOON)
  const console = await consoleFor(t, place, carol.name, path)
  await asAdmin(place, carol, 'password', { password: NEW })
  t.is(await inTime('the end of the console', console.closed), 1008)
})

test('thorough: a ticket issued after a new password is valid where that is not known yet, and an earlier one then is not', async (t) => {
  const lag = makeHold()
  const { place, carol } = await given(t, await twoInstances(t, lag.change))
  lag.hold()
  await asAdmin(place, carol, 'password', { password: NEW })
  const renewed = { Authorization: basic(carol.name, NEW) }
  const { json } = await place.changing.anyone.request('POST', `${carol.path}/console`, renewed)
  const open = async (url: unknown) => codeOfRefusal(await openAt(t, { service: place.serving }, String(url)))
  t.is(await open(json.url), 'opened')
  t.is(await open(carol.ticketUrl), 'ticket_invalid')
  lag.letGo()
})

test('thorough: a removal and restoration that another instance learns of at once ends what the user has open there', async (t) => {
  const lag = makeHold()
  const stage = await given(t, await twoInstances(t, lag.change))
  const { place, carol, dave } = stage
  lag.hold()
  await asAdmin(place, carol, 'remove', { reservations: 'keep' })
  await asAdmin(place, carol, 'restore', {})
  lag.letGo()
  await hasEnded(t, carol)
  await stillWorks(t, stage, dave)
})
