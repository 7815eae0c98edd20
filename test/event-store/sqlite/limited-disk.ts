import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { append, aStream, outcomeOf, randomHex, readAll, someEvents } from '../new-events.ts'

// Run by failures.test.ts with a limit on file sizes: appends until the kernel refuses a write, prints a report and
// exits without closing the store.
let fatal = 0
const onFatal = (): void => {
  fatal++
}
const store = openSqliteStore({ path: process.argv[2] as string, randomHex, onFatal })
const stream = aStream()
let acknowledged = 0
let lost = someEvents(stream, 5)
let outcome = outcomeOf(await append(store, stream, -1, lost))
while (outcome === 'done') {
  acknowledged += lost.length
  lost = someEvents(stream, 5)
  outcome = outcomeOf(await append(store, stream, acknowledged - 1, lost))
}
const next = outcomeOf(await append(store, aStream(), -1, someEvents(aStream(), 1)))
await new Promise(setImmediate)
const readable = (await readAll(store, stream)).length
process.stdout.write(JSON.stringify({ stream, acknowledged, readable, outcome, next, fatal, lost }), () =>
  process.kill(process.pid, 'SIGKILL'),
)
