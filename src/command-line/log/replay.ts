import { join } from 'node:path'
import { projections } from '../../../projections/index.ts'
import { openStoreForCommand } from '../../app/core/open-store.ts'
import { type Comparison, isCompared, replay } from '../../read-models/replay.ts'
import { type Command, DONE, REFUSED } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'

/** The last line: whether the two are the same, and what it does not cover. */
const verdictOf = (compared: Comparison): string => {
  const { differences, documents, events, behind } = compared
  const lag = `the views have reached event ${events} of ${events + behind}: run it again when the service has caught up`
  if (!isCompared(compared)) return `not compared: ${lag}`
  const verdict = differences.length === 0 ? 'same' : 'different'
  return `${verdict}: ${documents} documents from ${events} events${behind === 0 ? '' : `; ${lag}`}`
}

/** For a running service to update its views. */
const CATCH_UP_TIMEOUT_MS = 3_000

export const replayCommand: Command = {
  name: 'replay',
  options: { json: { type: 'boolean' } },
  summary: 'rebuilds the documents from the log and compares them with those in use',
  example: 'replay --json',
  isOfFiles: true,
  help: `
Folds the log into fresh documents, up to the position that those in use have reached, and compares the two: one line
for each that differs, and a last one that begins with "same" or "different". Works on the files, with or without a
running service. Exits with code 1 when those in use cover none of the log.

With --json it prints {"same","position","events","documents","behind","differences"} on one line.`,
  run: async ({ options }, config, terminal) => {
    await using store = await openStoreForCommand(config)
    const progress = makeProgress(terminal)
    const views = join(config.data, 'views.db')
    const compared = await replay(views, store, projections, progress.show, CATCH_UP_TIMEOUT_MS).finally(progress.end)
    const isSame = compared.differences.length === 0 && isCompared(compared)
    if (options.json) terminal.stdout(`${JSON.stringify({ same: isSame, ...compared })}\n`)
    else terminal.stdout([...compared.differences, verdictOf(compared)].map((line) => `${line}\n`).join(''))
    return isSame ? DONE : REFUSED
  },
}
