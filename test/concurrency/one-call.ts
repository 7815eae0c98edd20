/** A process that makes one call, and neither closes its thread nor waits for anything else. */

import { openThread } from '../../src/concurrency/thread.ts'
import type { TestThread } from './worker.ts'

const { call } = openThread<TestThread>({ module: new URL('./worker.ts', import.meta.url), callsMax: 1 })
process.stdout.write(await call('later', [50, 'answered']))
