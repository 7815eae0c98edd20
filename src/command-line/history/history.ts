import type { Config } from '../../app/config/config.ts'
import { listOf, opaqueId } from '../../domain/codec/codec.ts'
import { changesOf, positionOf, recordedOf } from '../log/answered-events.ts'
import { answer, callService, line } from '../service/call.ts'
import { lookUpSut } from '../sut/find.ts'
import type { Command, Terminal } from '../terminal/command.ts'
import { askHistory } from './asked-history.ts'
import { HISTORY_HEADING, type HistoryEntry, historyLine, historyRow } from './history-view.ts'

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

const Reservations = answer(
  {
    sut_reservations: listOf(answer({ _id: opaqueId, user_id: opaqueId, start_time: line, end_time: line }, {})),
  },
  {},
)
const User = answer({ name: line }, {})

/** Prints who held a SUT at a time. */
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

/** Prints the history of what is meant: an id, or else a name. */
const printHistory = async (typed: string, isJson: boolean, config: Config, terminal: Terminal): Promise<void> => {
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

export const historyCommand: Command = {
  name: 'history',
  operands: ['NAME'],
  options: { at: { type: 'string' }, json: { type: 'boolean' } },
  summary: 'shows what happened to a SUT, a reservation or a user',
  example: 'history lab-1',
  help: `
Prints the events of the SUT, reservation or user with this id, or of the SUT or user with this name now, oldest first.
The history of a SUT has the events of its port and its reservations too; that of a user has what was done to the user,
not what the user did. It asks the service on BERTH_DATA, or the one at BERTH_URL.

On a terminal each event is a row: position in the log, revision in its stream, time, event and user. Below it are the
changes and the reason, if one was given. In a pipe each event is one line of tab-separated fields: time, user, event,
changes, reason. Users are shown by name, or by id if it is not known.

With --at and a time, NAME is that of a SUT, or its id, and one line says who held it then, separated by tabs: the
user's name and id, the id of the reservation, and its window, or "nobody". With --json it prints what
GET /api/sut_reservation answers.

Without --at, each line of --json is the CloudEvent that GET /api/sut/<id>/history returns, with "changes" and, if it is
known, "actorname".`,
  run: async ({ operands: [typed = ''], options }, config, terminal) => {
    const isJson = options.json === true
    if (options.at !== undefined) return printHolder(typed, String(options.at), isJson, config, terminal)
    return printHistory(typed, isJson, config, terminal)
  },
}
