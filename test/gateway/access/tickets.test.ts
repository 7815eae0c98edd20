/** Tickets and consoles whose user's access ends before they are open, or is known to have ended elsewhere only. */

import { join } from 'node:path'
import test from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { basic } from '../../http/client.ts'
import { temporaryData } from '../../http/harness.ts'
import { makeHold } from '../../http/store/held-views.ts'
import { changedStore } from '../../http/store/stores.ts'
import { openAt } from '../console/stage.ts'
import { asAdmin, codeOfRefusal, given, hasEnded, NEW, oneService, stillWorks, twoInstances } from './stage.ts'

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
