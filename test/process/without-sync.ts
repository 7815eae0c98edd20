import { DatabaseSync } from 'node:sqlite'

// Loaded into a service by sync-trace.ts before all else: its log is no longer synced with every commit, which is what
// the trace must find out.
const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (...given) {
  if (given[0].startsWith('INSERT INTO event')) this.exec('PRAGMA synchronous = NORMAL')
  return prepare.apply(this, given)
}
