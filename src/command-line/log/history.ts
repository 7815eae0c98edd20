import * as E from 'fp-ts/lib/Either.js'
import { type Change, diffDocuments, historyProjections, listChangedSecrets } from '../../../projections/history.ts'
import type { Recorded } from '../../domain/event.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import type { StoredRecord } from '../../event-store/event-store.ts'
import { decodeEvent } from '../../event-store/stored-event.ts'
import { cloudEvent } from '../../feed/events/cloud-event.ts'
import type { Config } from '../../service/config/config.ts'
import { openStoreBeside } from '../../service/open-store.ts'
import { readUsersFile } from '../../users/users-file.ts'
import { type Command, DONE, refuse, type Terminal } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'
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

/** The history of a SUT or a reservation, in the order of the log. */
async function* historyOf(
  records: AsyncIterable<readonly StoredRecord[]>,
  id: string,
  onProgress: (events: number) => void,
): AsyncGenerator<HistoryEntry, void, undefined> {
  const fold = makeFold()
  let position = -1
  for await (const page of records) {
    for (const { text, mark } of page) {
      position++
      if (position % SHOWN_EVERY === 0) onProgress(position)
      // Most events concern other objects, which their text shows without decoding.
      if (!text.includes(id)) continue
      const event = decodeEvent(text, mark)
      if (isOf(event, id)) yield { event, position, changes: fold(event) }
    }
  }
}

/** User names by id; none if the users file cannot be read. */
const userNames = async ({ usersFile }: Config): Promise<ReadonlyMap<string, string>> => {
  const users = await readUsersFile(usersFile)
  return new Map(E.isRight(users) ? users.right.map(({ _id, name }) => [_id, name]) : [])
}

/** Makes the function that prints an entry, in the format for `--json`, a pipe or a terminal. */
const makePrint = async (isJson: boolean, config: Config, { columns, stdout }: Terminal) => {
  if (isJson) {
    return ({ event, position, changes }: HistoryEntry): void =>
      stdout(`${JSON.stringify({ ...cloudEvent(event, position, config.origin), changes })}\n`)
  }
  if (columns === undefined) return (entry: HistoryEntry): void => stdout(`${historyLine(entry)}\n`)
  const names = await userNames(config)
  let heading = HISTORY_HEADING
  return (entry: HistoryEntry): void => {
    stdout(heading + historyRow(entry, names, columns))
    heading = ''
  }
}

export const historyCommand: Command = {
  name: 'history',
  operands: ['ID'],
  options: { json: { type: 'boolean' } },
  summary: 'shows what happened to a SUT or a reservation',
  example: 'history 6b013ba4f804b461b4439169',
  help: `
Prints the events of the SUT or reservation with this ID, oldest first. The history of a SUT includes the events of its
port and its reservations. Reads the log from its beginning, with or without a running service.

On a terminal each event is a row: position in the log, revision in its stream, time, event and user. Below it are the
changes and the reason, if one was given. In a pipe each event is one line of tab-separated fields: time, actor, event,
changes, reason.

With --json each line is the CloudEvent that GET /api/sut/<id>/history returns, with "changes".`,
  run: async ({ operands, options }, config, terminal) => {
    const id = operands[0] as string
    const unknown = (): number => refuse(terminal, `the log has no SUT or reservation ${JSON.stringify(id)}`)
    if (!isAssignedId(id)) return unknown()
    const store = await openStoreBeside(config)
    const progress = makeProgress(terminal)
    try {
      const { records, total } = await openLogReader(store, config, terminal)
      const print = await makePrint(options.json === true, config, terminal)
      let isFound = false
      for await (const entry of historyOf(records(), id, (done) => progress.show(done, total(done)))) {
        isFound = true
        progress.end()
        print(entry)
      }
      return isFound ? DONE : unknown()
    } finally {
      progress.end()
      await store.close()
    }
  },
}
