import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import test from 'ava'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { append, aSecret, aStream, readAll, readLog, recordsOf, someEvents } from '../new-events.ts'
import { aPath, openStore } from './subject.ts'

test.serial('a concurrent reader syncs the WAL before it returns what the writer may not have synced', async (t) => {
  let syncs = 0
  const { fdatasyncSync } = fs
  fs.fdatasyncSync = (descriptor) => {
    syncs++
    fdatasyncSync(descriptor)
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    fs.fdatasyncSync = fdatasyncSync
    syncBuiltinESMExports()
  })
  const path = await aPath(t)
  const writer = openStore(t, path, { isSyncDeferred: true })
  const reader = openStore(t, path, { readOnly: true })
  const stream = aStream()
  const syncsOf = async (read: () => Promise<unknown>): Promise<number> => {
    const before = syncs
    await read()
    return syncs - before
  }
  let expected = -1
  for (const read of [
    reader.head,
    () => reader.at(BEGINNING),
    () => reader.recordAt(BEGINNING),
    () => readAll(reader, stream),
    () => readLog(reader, -1),
    () => recordsOf(reader, -1),
  ]) {
    await append(writer, stream, expected++, someEvents(stream, 1))
    t.is(await syncsOf(read), 1)
    t.is(await syncsOf(read), 0, 'nothing was written since')
  }
  const secret = aSecret(stream, 'password')
  await writer.writeSecrets([secret])
  t.is(await syncsOf(() => reader.readSecrets(secret.owner)), 1)
  t.is(await syncsOf(() => reader.secretsSealedWith('k1', undefined, 1)), 1)
})
