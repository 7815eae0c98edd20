import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../app/config/config.ts'
import { type EventStoreConfig, nameOfStore, readEventStore } from '../../app/config/event-store.ts'
import { openCopyTarget, openStoreForCommand } from '../../app/core/open-store.ts'
import { copyLog } from '../../archive/copy-log.ts'
import { textOf } from '../../client/command.ts'
import { type Command, Misused, randomHexOf, type Terminal } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'

type Kind = EventStoreConfig['kind']
type Of<K extends Kind> = EventStoreConfig & { readonly kind: K }

const read = <K extends Kind>(
  location: string | undefined,
  otherwise: EventStoreConfig,
  [kind, example]: readonly [K, string],
): E.Either<string, Of<K>> => {
  const store = location === undefined ? E.right(otherwise) : readEventStore(location, process.cwd())
  if (E.isLeft(store)) return store
  return store.right.kind === kind ? E.right(store.right as Of<K>) : E.left(`must be like ${example}`)
}

const copy = async (
  from: Of<'sqlite'>,
  to: Of<'eventstoredb'>,
  config: Config,
  terminal: Terminal,
  isJson: boolean,
) => {
  // Opened for writing, which keeps services from writing during the copy.
  const begun = terminal.now()
  await using source = await openStoreForCommand({ ...config, eventStore: from }, { isReadOnly: false })
  await using target = await openCopyTarget(to, { randomHex: randomHexOf(terminal), copyOf: source.logId })
  const progress = makeProgress(terminal, { isLogged: true })
  const copied = await copyLog({ source, target, onProgress: progress.show }).finally(progress.end)
  await target.endCopy()
  const { events, found, secrets, root } = copied
  const seconds = (terminal.now() - begun) / 1_000
  const rate = Math.round((events - found) / Math.max(seconds, 0.001))
  if (isJson) return terminal.stdout(`${JSON.stringify({ ...copied, seconds })}\n`)
  terminal.stdout(`${nameOfStore(to)}: ${events} events, ${found} of them already there, ${rate} a second\n`)
  terminal.stdout(`${secrets} encrypted secrets; root ${root} in both\n`)
}

export const copyCommand: Command = {
  name: 'copy',
  options: { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } },
  summary: 'copies the embedded log into an EventStoreDB, to move there',
  example: 'copy --from sqlite:./data/events.db --to esdb://127.0.0.1:2113?tls=false',
  isOfFiles: true,
  help: `
Copies every event and every encrypted secret into an EventStoreDB or KurrentDB that contains no log: the same events in
the same order, with the same ids and revisions. Ends with the root hash of both logs, which must be equal. No service
may run on the log meanwhile. An interrupted copy continues where it stopped when the command is run again.

--from is the log in the data directory by default. --to is BERTH_EVENT_STORE by default, which keeps the password off
the command line. The keys are files: copy them to every instance.

With --json it prints {"events","found","secrets","root","seconds"}.`,
  run: async ({ options }, config, terminal) => {
    const own = { kind: 'sqlite', path: join(config.data, 'events.db') } as const
    const from = read(textOf(options.from), own, ['sqlite', 'sqlite:./data/events.db'])
    const to = read(textOf(options.to), config.eventStore, ['eventstoredb', 'esdb://name:password@host:2113'])
    if (E.isLeft(from) || E.isLeft(to)) {
      const problems = [E.isLeft(from) && `--from ${from.left}`, E.isLeft(to) && `--to ${to.left}`]
      throw new Misused(problems.filter((problem) => problem !== false))
    }
    return copy(from.right, to.right, config, terminal, options.json === true)
  },
}
