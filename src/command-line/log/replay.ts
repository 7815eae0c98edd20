import { join } from 'node:path'
import { projections } from '../../../projections/index.ts'
import { replay } from '../../read-models/replay.ts'
import { openStoreBeside } from '../../service/open-store.ts'
import { type Command, DONE, makeProgress, REFUSED } from '../terminal/command.ts'

export const replayCommand: Command = {
  name: 'replay',
  operands: [],
  options: { json: { type: 'boolean' } },
  summary: 'makes the documents anew and compares them with those in use',
  example: 'replay --json',
  help: `
Folds the log into fresh documents, up to the place that those in use have come to, and compares the two. Works beside a
running service. With --json it prints {"same","position","events","documents","differences"}.`,
  run: async ({ options }, config, terminal) => {
    const store = await openStoreBeside(config)
    const progress = makeProgress(terminal)
    try {
      const views = join(config.data, 'views.db')
      const compared = await replay(views, store, projections, progress.show).finally(progress.end)
      const isSame = compared.differences.length === 0
      if (options.json) terminal.stdout(`${JSON.stringify({ same: isSame, ...compared })}\n`)
      else {
        for (const difference of compared.differences) terminal.stdout(`${difference}\n`)
        const verdict = isSame ? 'same' : 'different'
        terminal.stdout(`${verdict}: ${compared.documents} documents from ${compared.events} events\n`)
      }
      return isSame ? DONE : REFUSED
    } finally {
      await store.close()
    }
  },
}
