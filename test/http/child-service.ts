/** Run by killable.ts: a whole service in a process of its own. Each message is a time to set its clock to. */

import { type Setting, start } from './harness.ts'

/** Milliseconds between looks at the clock, as of a real service. */
const TICK_EVERY = 50

const setting = JSON.parse(process.argv[2] ?? '') as Setting
// The parent kills this process: there is nothing to tidy up.
const service = await start({ teardown: () => undefined }, setting)
setInterval(service.tick, TICK_EVERY)
process.on('message', (time) => {
  service.clock.set(String(time))
  process.send?.('set')
})
process.once('disconnect', () => process.exit())
process.send?.(service.port)
