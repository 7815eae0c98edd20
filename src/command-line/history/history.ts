import {
  diffDocuments,
  historyProjections,
  listChangedSecrets,
  type ValueChange,
} from '../../../projections/history.ts'
import type { Config } from '../../config/config.ts'
import { listOf, opaqueId } from '../../domain/codec/codec.ts'
import type { Recorded } from '../../domain/event.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { BEFORE_FIRST } from '../../domain/values/position.ts'
import type { EventStore, StoredRecord } from '../../event-store/event-store.ts'
import { decodeEvent } from '../../event-store/stored-event.ts'
import { cloudEvent } from '../../feed/events/cloud-event.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { changesOf, positionOf, recordedOf } from '../log/answered-events.ts'
import { openLogReader } from '../log/log-reader.ts'
import { answer, callService, line } from '../service/call.ts'
import { lookUpSut } from '../sut/find.ts'
import { type Command, CommandFailure, type Terminal } from '../terminal/command.ts'
import { askHistory } from './asked-history.ts'
import { HISTORY_HEADING, type HistoryEntry, historyLine, historyRow } from './history-view.ts'
import { type LookUpNames, makeLookUpNames, makeNamed } from './named.ts'

const SHOWN_EVERY = 4_096

const isOf = ({ data }: Recorded, id: string): boolean =>
  ('_id' in data && data._id === id) ||
  ('sut_id' in data && data.sut_id === id) ||
  ('reservation_id' in data && data.reservation_id === id)

/** Finds the changes of each event by folding the documents that the service returns. */
const makeFold = () => {
  const documents = new Map<string, object>()
  return (event: Recorded): readonly ValueChange[] => [
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
  let position = BEFORE_FIRST
  for await (const page of records) {
    for (const { text, storePosition } of page) {
      position++
      if (position % SHOWN_EVERY === 0) onProgress(position)
      // Most events concern other objects, which their text shows without decoding.
      if (!text.includes(written)) continue
      const event = decodeEvent(text, storePosition)
      if (isOf(event, id)) yield { event, position, changes: fold(event) }
    }
  }
}

/** Makes the function that prints an entry for a pipe or a terminal. */
const makePrint = ({ columns, stdout }: Terminal) => {
  let heading = HISTORY_HEADING
  return (entry: HistoryEntry, actorname: string | undefined): void => {
    if (columns === undefined) stdout(`${historyLine(entry, actorname)}\n`)
    else {
      stdout(heading + historyRow(entry, actorname, columns))
      heading = ''
    }
  }
}

/** The same for entries of a log, also for `--json`. */
const makePrintOfLog = (isJson: boolean, { origin }: Config, namesOf: LookUpNames, terminal: Terminal) => {
  const print = makePrint(terminal)
  return async (entry: HistoryEntry): Promise<void> => {
    const { event, position, changes } = entry
    const { actor } = event.metadata
    const actorname = (await namesOf([actor])).get(actor)
    if (!isJson) return print(entry, actorname)
    const shown = { ...cloudEvent(event, position, origin), ...(actorname !== undefined && { actorname }) }
    terminal.stdout(`${JSON.stringify({ ...shown, changes })}\n`)
  }
}

const Reservations = answer(
  {
    sut_reservations: listOf(answer({ _id: opaqueId, user_id: opaqueId, start_time: line, end_time: line }, {})),
  },
  {},
)
const User = answer({ name: line }, {})

/** Prints who held a SUT at a time. Asks the service, which knows that an unknown SUT is not one that was free. */
const printHolder = async (
  typed: string,
  time: string,
  isJson: boolean,
  config: Config,
  terminal: Terminal,
): Promise<void> => {
  const sut_id = encodeURIComponent((await lookUpSut(config, typed))._id)
  const path = `/api/sut_reservation?sut_id=${sut_id}&held_at=${encodeURIComponent(time)}`
  const listed = await callService(config, { method: 'GET', path, answer: Reservations })
  if (isJson) return terminal.stdout(`${JSON.stringify(listed)}\n`)
  const [held] = listed.sut_reservations
  if (held === undefined) return terminal.stdout('nobody\n')
  const { _id, user_id, start_time, end_time } = held
  const userPath = `/api/user/${encodeURIComponent(user_id)}`
  const { name } = await callService(config, { method: 'GET', path: userPath, answer: User })
  terminal.stdout(`${[name, user_id, _id, start_time, end_time].join('\t')}\n`)
}

/** Prints the history that the service at BERTH_URL answers. */
const printAsked = async (typed: string, isJson: boolean, config: Config, terminal: Terminal): Promise<void> => {
  const print = makePrint(terminal)
  for await (const shown of askHistory(config, typed)) {
    const event = recordedOf(shown)
    if (isJson) terminal.stdout(`${JSON.stringify(shown)}\n`)
    else {
      const hidesRevision = shown.revision === undefined
      print({ event, position: positionOf(shown), changes: changesOf(shown), hidesRevision }, shown.actorname)
    }
  }
}

/** Prints the history of what is meant: an id, or else a name at the end of the log. */
const printHistory = async (
  typed: string,
  isJson: boolean,
  config: Config,
  store: EventStore,
  terminal: Terminal,
): Promise<void> => {
  const { records, onProgress, endProgress } = await openLogReader(store, config, terminal)
  const namesOf = await makeLookUpNames(config, store, terminal)
  const print = makePrintOfLog(isJson, config, namesOf, terminal)
  const printOf = async (pages: AsyncIterable<readonly StoredRecord[]>, id: string): Promise<boolean> => {
    let isFound = false
    try {
      for await (const entry of historyOf(pages, id, onProgress)) {
        isFound = true
        endProgress()
        await print(entry)
      }
      return isFound
    } finally {
      endProgress()
    }
  }
  const named = makeNamed()
  const followed = async function* (): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    for await (const page of records()) {
      page.forEach(named.follow)
      yield page
    }
  }
  if (await printOf(followed(), typed)) return
  const id = await named.find(typed, namesOf)
  if (id !== undefined && (await printOf(records(), id))) return
  throw new CommandFailure(`the log has no SUT, reservation or user ${JSON.stringify(typed)}`)
}

export const historyCommand: Command = {
  name: 'history',
  operands: ['NAME'],
  options: { at: { type: 'string' }, local: { type: 'boolean' }, json: { type: 'boolean' } },
  summary: 'shows what happened to a SUT, a reservation or a user',
  example: 'history lab-1',
  help: `
Prints the events of the SUT, reservation or user with this id, or of the SUT or user with this name now, oldest first.
The history of a SUT has the events of its port and its reservations too; that of a user has what was done to the user,
not what the user did.

It reads the log from its beginning, with or without a running service, and twice for a name. Where BERTH_URL is set it
asks the service there. --local reads the log in any case.

On a terminal each event is a row: position in the log, revision in its stream, time, event and user. Below it are the
changes and the reason, if one was given. In a pipe each event is one line of tab-separated fields: time, user, event,
changes, reason. Users are shown by name if the vault can be read, otherwise by id.

With --at and a time, NAME is that of a SUT, or its id, and one line says who held it then, separated by tabs: the
user's name and id, the id of the reservation, and its window, or "nobody". It asks the service on BERTH_DATA, or the
one at BERTH_URL. With --json it prints what GET /api/sut_reservation answers.

Without --at, each line of --json is the CloudEvent that GET /api/sut/<id>/history returns, with "changes" and, if the
vault can be read, "actorname".`,
  run: async ({ operands, options }, config, terminal) => {
    const typed = operands[0] as string
    const isJson = options.json === true
    if (options.at !== undefined) return printHolder(typed, String(options.at), isJson, config, terminal)
    if (config.client !== undefined && options.local !== true) {
      return printAsked(typed, isJson, config, terminal)
    }
    await using store = await openStoreForCommand(config)
    await printHistory(typed, isJson, config, store, terminal)
  },
}
