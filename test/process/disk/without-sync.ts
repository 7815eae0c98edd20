import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// Loaded into a service by sync-trace.ts before all else: its log is no longer synced, which is what the trace must find
// out.
fs.fdatasync = Object.assign((_: number, done: (error: null) => void) => void setImmediate(done, null), fs.fdatasync)
syncBuiltinESMExports()
