import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// Preloaded into a service by sync-trace.ts: the log is no longer synced, which the trace must detect.
fs.fdatasync = Object.assign((_: number, done: (error: null) => void) => void setImmediate(done, null), fs.fdatasync)
syncBuiltinESMExports()
