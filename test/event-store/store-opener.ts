import { openSqliteStore } from '../../src/event-store/sqlite/store.ts'
import { randomHex } from './new-events.ts'

// Run by `openInAnother`: opens a log, and closes it when stdin ends.
const onFatal = (error: Error): void => {
  throw error
}
try {
  const store = openSqliteStore({ path: process.argv[2] as string, randomHex, onFatal })
  process.stdout.write('open\n')
  process.stdin.resume().on('end', store.close)
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`)
}
