import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { findLostEvents } from '../../../src/read-models/file/lost-events.ts'
import { beforeTheFirst } from '../../../src/read-models/file/progress.ts'
import { makeProgressTracker } from '../../../src/read-models/projector/progress-tracker.ts'
import { type } from '../../command-line/terminal.ts'
import { sutCreated } from '../../domain/builders.ts'
import { at, recordedAt } from '../../domain/given-when-then.ts'
import { append, aStream, someEvents } from '../../event-store/new-events.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { storeKeys } from '../../event-store/stored-keys.ts'
import { rightOf } from '../../users/builders.ts'
import { story, tell, viewsOn } from '../setting.ts'

/** The events of an older copy of the log, and of all of it. */
const [OLD, ALL] = [5, story.length]
const LOSS = `was made from ${ALL - OLD} events at positions ${OLD} to ${ALL - 1}, which the log lacks`

/** A data directory in which an older copy of the log has taken its place, beside the views of the newer one. */
const anOlderLog = async (t: ExecutionContext) => {
  const data = await aDirectory(t)
  const [log, views] = [join(data, 'events.db'), join(data, 'views.db')]
  const first = openStore(t, log)
  await storeKeys(first, Buffer.alloc(32, 5).toString('base64'))
  await tell(first, story.slice(0, OLD))
  await first.close()
  execFileSync('cp', [log, `${log}.old`])
  const store = openStore(t, log)
  await tell(store, story.slice(OLD))
  await (await viewsOn(t, store, views)).close()
  await store.close()
  const restore = () => execFileSync('mv', [`${log}.old`, log])
  return { data, log, views, restore }
}

/** What `verify` finds beside the events, which are no lawful log, and what it did not check. */
const verified = async (data: string) => {
  const { findings, not_checked } = JSON.parse((await type(['verify', '--json'], { BERTH_DATA: data })).out)
  const found: readonly { readonly position: number | null; readonly what: string }[] = findings
  return { not_checked, found: found.flatMap(({ position, what }) => (position === null ? [what] : [])) }
}

test('views that were made from events which the log lacks are found, with their positions', async (t) => {
  const { data, log, views, restore } = await anOlderLog(t)
  t.deepEqual((await verified(data)).found, [])
  restore()
  const store = openStore(t, log)
  t.deepEqual(rightOf(await findLostEvents(views, store)), {
    path: views,
    from: toPublicPosition(OLD),
    upTo: toPublicPosition(ALL - 1),
  })
  t.deepEqual((await verified(data)).found, [`${views} ${LOSS}`])
})

test('views of other events at the same positions are found from the first on that differs', async (t) => {
  const { log, views, restore } = await anOlderLog(t)
  restore()
  const store = openStore(t, log)
  const stream = aStream()
  await append(store, stream, -1, someEvents(stream, 2 * ALL))
  t.is(rightOf(await findLostEvents(views, store))?.from, toPublicPosition(OLD))
})

test('events that were not on the disk yet when the views were written are no loss', async (t) => {
  const { log, views, restore } = await anOlderLog(t)
  restore()
  const store = openStore(t, log)
  const isLost = async (synced: number): Promise<boolean> => {
    const database = new DatabaseSync(views)
    database.exec(`UPDATE progress SET synced = ${synced}`)
    database.close()
    return rightOf(await findLostEvents(views, store)) !== undefined
  }
  t.false(await isLost(OLD - 1))
  t.true(await isLost(OLD))
})

test('"verify" says that it did not compare views that cannot be read, and needs none', async (t) => {
  const { data, views } = await anOlderLog(t)
  execFileSync('sh', ['-c', 'echo no database > "$0"', views])
  const unreadable = await verified(data)
  t.deepEqual(unreadable.found, [])
  t.regex(unreadable.not_checked.at(-1), /^whether the views are ahead of the log: .*views\.db cannot be read: /)
  rmSync(views)
  t.deepEqual((await verified(data)).not_checked, unreadable.not_checked.slice(0, -1))
})

test('what is written with the views is on the disk once the sync has ended that covers it', async (t) => {
  const syncs: PromiseWithResolvers<void>[] = []
  let isPending = true
  const sync = () => {
    const pending = Promise.withResolvers<void>()
    syncs.push(pending)
    return isPending ? pending.promise : undefined
  }
  const initial = { ...beforeTheFirst('f'.repeat(24)), position: toPublicPosition(3) }
  const { synced, advance } = makeProgressTracker(initial, { synced: sync })
  const fold = (events: number) => {
    for (let n = 0; n < events; n++) advance(recordedAt(n, at('06:00', sutCreated())))
  }
  fold(4)
  t.is(synced(), toPublicPosition(3))
  fold(2)
  syncs[0]?.resolve()
  await syncs[0]?.promise
  t.is(synced(), toPublicPosition(7))
  syncs[1]?.reject(new Error('the disk failed'))
  await t.throwsAsync(async () => syncs[1]?.promise)
  t.is(synced(), toPublicPosition(7))
  isPending = false
  t.is(synced(), toPublicPosition(9))
})
