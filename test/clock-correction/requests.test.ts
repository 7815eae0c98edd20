import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { correctClock } from '../../src/clock-correction/record.ts'
import { makeRunner } from '../../src/commands/runner.ts'
import { type MakeRequest, requestDecider } from '../../src/domain/request/decide.ts'
import { REQUESTS_STREAM } from '../../src/domain/values/ids.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import { NO_SNAPSHOTS } from '../commands/script.ts'
import { administrator, alice, clock } from '../domain/builders.ts'
import { randomHex } from '../event-store/new-events.ts'
import { aPath, openStore } from '../event-store/sqlite/subject.ts'
import { rightOf } from '../users/builders.ts'

test('a correction lets requests be made and granted again', async (t) => {
  const store = openStore(t, await aPath(t))
  let now = clock('06:00')
  const runner = makeRunner({ store, clock: () => now, randomHex, snapshots: NO_SNAPSHOTS })
  const make = async (): Promise<string> => {
    const command: MakeRequest = {
      ...{ type: 'MakeRequest', reachableFor: 0, actor: administrator, candidates: [], wait: 60 },
      ...{ request: { user_id: alice, match: { os: 'windows' }, duration: 900, priority: 0 } },
      ...{ grants: { windowFor: () => undefined }, random: randomHex(8), reservationRandom: randomHex(8) },
    }
    const ended = await runner.run(requestDecider, REQUESTS_STREAM, { command, actor: administrator, requestId: 'r' })
    return E.isLeft(ended) ? ended.left.code : ended.right.kind
  }
  now = clock('2031-05-02T06:00:00Z')
  t.is(await make(), 'recorded')
  now = clock('06:00')
  t.is(await make(), 'clock_behind')
  const head = await store.head()
  const storePositionBefore = async (position: number) => toStorePosition(position - 1)
  const options = { store, clock: () => now, randomHex, storePositionBefore }
  const corrected = await correctClock(options, { from: head, to: head, why: 'the clock was ahead' })
  t.deepEqual(rightOf(corrected), { streams: 1, before: 0, windows: 0 })
  t.is(await make(), 'recorded')
})
