/** A service that stops while a console attaches: looking for the SUT's password waits. */

import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { temporaryData } from '../../http/harness.ts'
import { openRaw } from '../../http/server/raw-http.ts'
import { changedStore } from '../../http/store/stores.ts'
import { forwarding, openAt, running, type Stage, ticketFor } from './stage.ts'

interface Attaching {
  readonly stage: Stage & { readonly path: string }
  readonly opening: ReturnType<typeof openAt>
  readonly goOn: () => void
}

const attaching = async (t: ExecutionContext): Promise<Attaching> => {
  const data = await temporaryData(t)
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let heldBack: string | undefined
  const hold = ({ readSecrets }: EventStore): Partial<EventStore> => ({
    readSecrets: async (...owners) => {
      // The service looks after the secrets of others meanwhile.
      if (heldBack !== undefined && owners.includes(heldBack)) {
        reached.resolve()
        await opened.promise
      }
      return readSecrets(...owners)
    },
  })
  const stage = await forwarding(t, {}, { data, openStore: changedStore(join(data, 'events.db'), hold) })
  const path = await running(stage)
  const ticket = await ticketFor(stage, path)
  heldBack = stage.sutId
  const opening = openAt(t, stage, ticket)
  await reached.promise
  return { stage: { ...stage, path }, opening, goOn: opened.resolve }
}

test('a console that attaches while the service stops is closed with 1001', async (t) => {
  const { stage, opening, goOn } = await attaching(t)
  const began = performance.now()
  const stopped = stage.service.stop()
  goOn()
  const opened = await opening
  t.is('closed' in opened ? await opened.closed : opened.refused, 1001)
  await stopped
  t.true(performance.now() - began < 5_000, `${performance.now() - began} ms`)
})

test('a stop closes what has sent no whole request, and waits for a console that attaches', async (t) => {
  const { stage, opening, goOn } = await attaching(t)
  const late = await openRaw(stage.service.port)
  t.teardown(late.close)
  late.send(`GET ${await ticketFor(stage, stage.path)} HTTP/1.1\r\n`)
  t.is((await stage.service.anyone.get('/health/live')).status, 200, 'its beginning has arrived')
  const stopped = stage.service.stop()
  t.is(await late.answer(), undefined)
  goOn()
  t.true('socket' in (await opening))
  await stopped
})
