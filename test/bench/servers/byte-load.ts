import { openReaders, type Readers, startTargets } from './gateway-load.ts'

/** Targets and their readers in a process of their own, which its parent tells what to open. */

export type Told = { readonly port: number; readonly connections: number } | 'close'
/** The ports of the targets at first, then what has been received each time that readers were closed. */
export type Report = { readonly targets: readonly number[] } | 'opened' | { readonly received: number }

const report = (what: Report): void => void process.send?.(what)

let readers: Readers | undefined
process.on('message', async (told: Told) => {
  if (told === 'close') {
    await readers?.close()
    return report({ received: readers?.received() ?? 0 })
  }
  readers = await openReaders(told.port, told.connections)
  report('opened')
})
process.on('disconnect', () => process.exit())
report({ targets: await startTargets() })
