import { join } from 'node:path'
import { projections } from '../../../projections/index.ts'
import { type Comparison, isCompared, replay } from '../../read-models/replay.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { type Command, DONE, REFUSED } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'
import { comparisonText, verdictOf } from './replay-view.ts'

/** For a running service to update its views. */
const CATCH_UP_TIMEOUT_MS = 3_000

/** For a pipe: the differences as sentences, one a line, and the verdict. */
const comparisonLines = (compared: Comparison): string =>
  [...compared.differences, verdictOf(compared)].map((line) => `${line}\n`).join('')

export const replayCommand: Command = {
  name: 'replay',
  options: { json: { type: 'boolean' } },
  summary: 'rebuilds the documents from the log and compares them with those in use',
  example: 'replay --json',
  isOfFiles: true,
  help: `
Folds the log into fresh documents, up to the position that those in use have reached, and compares the two. Works with
or without a running service. Says so when those in use are behind the log, and exits with code 1 when they cover none
of it.

On a terminal each document that differs is shown with the members that differ. In a pipe each difference is one line,
with both documents whole. The last line begins with "same" or "different".

It reads the log and the views themselves, never the service at BERTH_URL.

With --json it prints {"same","position","events","documents","behind","differences"} on one line.`,
  run: async ({ options }, config, terminal) => {
    await using store = await openStoreForCommand(config)
    const progress = makeProgress(terminal)
    const views = join(config.data, 'views.db')
    const compared = await replay(views, store, projections, progress.show, CATCH_UP_TIMEOUT_MS).finally(progress.end)
    const { rows: _, ...members } = compared
    const isSame = compared.differences.length === 0 && isCompared(compared)
    if (options.json) terminal.stdout(`${JSON.stringify({ same: isSame, ...members })}\n`)
    else if (terminal.columns === undefined) terminal.stdout(comparisonLines(compared))
    else terminal.stdout(comparisonText(compared, terminal.columns))
    return isSame ? DONE : REFUSED
  },
}
