import * as E from 'fp-ts/lib/Either.js'
import { type Change, diffDocuments, historyProjections, listChangedSecrets } from '../../../projections/history.ts'
import type { Recorded } from '../../domain/event.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { isOpaqueId } from '../../domain/values/ids.ts'
import type { EventStore, StoredRecord } from '../../event-store/event-store.ts'
import { decodeEvent } from '../../event-store/stored-event.ts'
import { cloudEvent } from '../../feed/events/cloud-event.ts'
import type { Config } from '../../service/config/config.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { makeVault } from '../../vault/vault.ts'
import { configuredRing } from '../keys/configured-ring.ts'
import { type Command, DONE, refuse, type Terminal } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'
import { printHolder } from './held-at.ts'
import { HISTORY_HEADING, type HistoryEntry, historyLine, historyRow } from './history-view.ts'
import { openLogReader } from './log-reader.ts'

const SHOWN_EVERY = 4_096

const isOf = ({ data }: Recorded, id: string): boolean =>
  ('_id' in data && data._id === id) ||
  ('sut_id' in data && data.sut_id === id) ||
  ('reservation_id' in data && data.reservation_id === id)

/** Finds the changes of each event by folding the documents that the service returns. */
const makeFold = () => {
  const documents = new Map<string, object>()
  return (event: Recorded): readonly Change[] => [
    ...historyProjections.flatMap(({ name, key, evolve }) => {
      const id = key(event)
      if (id === undefined) return []
      const before = documents.get(`${name} ${id}`)
      const after = evolve(before, event)
      documents.set(`${name} ${id}`, after)
      return diffDocuments(before, after)
    }),
    ...listChangedSecrets(event),
  ]
}

/** The history of a SUT, a reservation or a user, in the order of the log. */
async function* historyOf(
  records: AsyncIterable<readonly StoredRecord[]>,
  id: string,
  onProgress: (events: number) => void,
): AsyncGenerator<HistoryEntry, void, undefined> {
  const fold = makeFold()
  const written = canonicalJson(id)
  let position = -1
  for await (const page of records) {
    for (const { text, mark } of page) {
      position++
      if (position % SHOWN_EVERY === 0) onProgress(position)
      // Most events concern other objects, which their text shows without decoding.
      if (!text.includes(written)) continue
      const event = decodeEvent(text, mark)
      if (isOf(event, id)) yield { event, position, changes: fold(event) }
    }
  }
}

/** Reads names of users from the vault, once each. Without its key, or of erased users, there are none. */
const makeNames = async (config: Config, store: EventStore, { now, randomBytes }: Terminal) => {
  const keys = await configuredRing(config)
  const vault = E.isRight(keys) && makeVault({ store, keys: keys.right, clock: now, randomBytes })
  const names = new Map<string, string | undefined>()
  return async (id: string): Promise<string | undefined> => {
    if (vault && !names.has(id)) {
      const [secrets] = await vault.readUsers(id)
      names.set(id, secrets && E.isRight(secrets) ? secrets.right.name?.open() : undefined)
    }
    return names.get(id)
  }
}

/** Makes the function that prints an entry, in the format for `--json`, a pipe or a terminal. */
const makePrint = async (isJson: boolean, config: Config, store: EventStore, terminal: Terminal) => {
  const { columns, stdout } = terminal
  if (columns === undefined && !isJson)
    return async (entry: HistoryEntry): Promise<void> => stdout(`${historyLine(entry)}\n`)
  const nameOf = await makeNames(config, store, terminal)
  if (columns === undefined || isJson) {
    return async ({ event, position, changes }: HistoryEntry): Promise<void> => {
      const actorname = await nameOf(event.metadata.actor)
      const shown = { ...cloudEvent(event, position, config.origin), ...(actorname !== undefined && { actorname }) }
      stdout(`${JSON.stringify({ ...shown, changes })}\n`)
    }
  }
  let heading = HISTORY_HEADING
  return async (entry: HistoryEntry): Promise<void> => {
    stdout(heading + historyRow(entry, await nameOf(entry.event.metadata.actor), columns))
    heading = ''
  }
}

export const historyCommand: Command = {
  name: 'history',
  operands: ['ID'],
  options: { at: { type: 'string' }, json: { type: 'boolean' } },
  summary: 'shows what happened to a SUT, a reservation or a user',
  example: 'history 6b013ba4f804b461b4439169',
  help: `
Prints the events of the SUT, reservation or user with this ID, oldest first. The history of a SUT has the events of
its port and its reservations too; that of a user has what was done to the user, not what the user did. Reads the log
from its beginning, with or without a running service.

On a terminal each event is a row: position in the log, revision in its stream, time, event and user. Below it are the
changes and the reason, if one was given. In a pipe each event is one line of tab-separated fields: time, actor, event,
changes, reason.

With --at and a time, ID is that of a SUT, and one line says who held it then, separated by tabs: the user's name and
id, the id of the reservation, and its window, or "nobody". It asks the service on BERTH_DATA, or the one at BERTH_URL.
With --json it prints what GET /api/sut_reservation answers.

Without --at, each line of --json is the CloudEvent that GET /api/sut/<id>/history returns, with "changes" and, if the
vault can be read, "actorname".`,
  run: async ({ operands, options }, config, terminal) => {
    const id = operands[0] as string
    const unknown = (): number => refuse(terminal, `the log has no SUT, reservation or user ${JSON.stringify(id)}`)
    if (!isOpaqueId(id)) return unknown()
    const isJson = options.json === true
    if (options.at !== undefined) return printHolder(id, String(options.at), isJson, config, terminal)
    const store = await openStoreForCommand(config)
    const progress = makeProgress(terminal)
    try {
      const { records, total } = await openLogReader(store, config, terminal)
      const print = await makePrint(isJson, config, store, terminal)
      let isFound = false
      for await (const entry of historyOf(records(), id, (done) => progress.show(done, total(done)))) {
        isFound = true
        progress.end()
        await print(entry)
      }
      return isFound ? DONE : unknown()
    } finally {
      progress.end()
      await store.close()
    }
  },
}
