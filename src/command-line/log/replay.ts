import { join } from 'node:path'
import { projections } from '../../../projections/index.ts'
import { type Comparison, isCompared, replay } from '../../read-models/replay.ts'
import { openStoreBeside } from '../../service/open-store.ts'
import { type Command, DONE, makeProgress, REFUSED } from '../terminal/command.ts'

/** Milliseconds in which a running service writes the views of what it has recorded. */
const WRITTEN_WITHIN = 3_000

const verdictOf = (compared: Comparison): string => {
  const { differences, documents, events, behind } = compared
  const lag = `the views have reached event ${events} of ${events + behind}: run it again when the service has caught up`
  if (!isCompared(compared)) return `not compared: ${lag}`
  const verdict = differences.length === 0 ? 'same' : 'different'
  return `${verdict}: ${documents} documents from ${events} events${behind === 0 ? '' : `; ${lag}`}`
}

export const replayCommand: Command = {
  name: 'replay',
  operands: [],
  options: { json: { type: 'boolean' } },
  summary: 'makes the documents anew and compares them with those in use',
  example: 'replay --json',
  help: `
Folds the log into fresh documents, up to the place that those in use have come to, and compares the two. Works beside a
running service. Says so when those in use are behind the log, and exits with code 1 when they cover none of it. With
--json it prints {"same","position","events","documents","behind","differences"}.`,
  run: async ({ options }, config, terminal) => {
    const store = await openStoreBeside(config)
    const progress = makeProgress(terminal)
    try {
      const views = join(config.data, 'views.db')
      const compared = await replay(views, store, projections, progress.show, WRITTEN_WITHIN).finally(progress.end)
      const isSame = compared.differences.length === 0 && isCompared(compared)
      if (options.json) terminal.stdout(`${JSON.stringify({ same: isSame, ...compared })}\n`)
      else {
        for (const difference of compared.differences) terminal.stdout(`${difference}\n`)
        terminal.stdout(`${verdictOf(compared)}\n`)
      }
      return isSame ? DONE : REFUSED
    } finally {
      await store.close()
    }
  },
}
