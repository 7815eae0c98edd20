import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { Config } from '../../app/config/config.ts'
import { listOf, opaqueId, orNull } from '../../domain/codec/codec.ts'
import { whole } from '../../domain/events/fields.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { lookUpUser } from '../people/members.ts'
import { answer, callService, line, tryCall } from '../service/call.ts'
import { type Command, CommandFailure, Misused, textOptions } from '../terminal/command.ts'
import { lookUpSut, SutAnswer, sutPath } from './find.ts'

/** The options that become filters of the route. */
const FILTERS = { sut: 'sut_id', user: 'user_id', reservation: 'reservation_id', from: 'from', to: 'to' } as const
const LIMIT_MAX = 1_000
const LIMIT = 100

const Session = answer(
  {
    ...{ reservation_id: opaqueId, sut_id: opaqueId, user_id: opaqueId, opened_at: line, closed_at: orNull(line) },
    ...{ connections: orNull(whole), bytes_to_sut: orNull(whole), bytes_from_sut: orNull(whole), cause: orNull(line) },
  },
  { user_name: line },
)
type Session = t.TypeOf<typeof Session>

const Sessions = answer({ sessions: listOf(Session) }, {})

/** The names of the SUTs of sessions, also of retired ones, by id; none of those that are not seen. */
const readSutNames = async (config: Config, sessions: readonly Session[]): Promise<ReadonlyMap<string, string>> => {
  const names = new Map<string, string>()
  for (const _id of new Set(sessions.map(({ sut_id }) => sut_id))) {
    const read = await tryCall(config, { method: 'GET', path: sutPath({ _id }), answer: SutAnswer })
    if (E.isRight(read)) names.set(_id, read.right.name)
    else if (read.left.code !== 'sut_not_found') throw new CommandFailure(read.left.why)
  }
  return names
}

const rowOf = (session: Session, sutName: string): string => {
  const { opened_at, closed_at, reservation_id, sut_id, user_id, user_name } = session
  const { connections, bytes_to_sut, bytes_from_sut, cause } = session
  const whose = [reservation_id, sut_id, user_id, user_name]
  const columns = [opened_at, closed_at, ...whose, connections, bytes_to_sut, bytes_from_sut]
  return [...columns.map((column) => column ?? '-'), cause ?? 'open', sutName].join('\t')
}

/** The id of what an option names: of a SUT, or of a user, also a removed one. */
const toId = async (config: Config, option: string, typed: string): Promise<string> => {
  if (option === 'sut') return (await lookUpSut(config, typed))._id
  if (option !== 'user' || isAssignedId(typed)) return typed
  return (await lookUpUser((request) => tryCall(config, request), typed, ['present', 'removed']))._id
}

export const sessionListCommand: Command = {
  name: 'session list',
  options: {
    ...textOptions('sut', 'user', 'reservation', 'from', 'to'),
    open: { type: 'boolean' },
    limit: { type: 'string' },
    json: { type: 'boolean' },
  },
  summary: 'lists when machines were really used',
  example: 'session list --sut lab-1 --open',
  help: `
Prints the newest sessions, one per line, separated by tabs: when it opened and closed, the ids of reservation, SUT and
user, the user's name, connections, bytes to and from the SUT, what ended it, or "open", and the SUT's name, or its id
where the name is not known. Other unknown values, such as the end of an open session, are "-".

--sut and --user take an id or a name, --reservation an id, --from and --to a time; --open shows only open ones;
--limit is 100 unless given, at most 1000. It asks the service on BERTH_DATA, or the one at BERTH_URL, where testers see
their own sessions.

With --json it prints what GET /api/session answers.`,
  run: async ({ options }, config, terminal) => {
    const limit = Number(options.limit ?? LIMIT)
    if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
      throw new Misused(`--limit must be a whole number from 1 to ${LIMIT_MAX}`)
    }
    const query = new URLSearchParams({ limit: String(limit) })
    for (const [option, filter] of Object.entries(FILTERS)) {
      const typed = options[option]
      if (typeof typed === 'string') query.set(filter, await toId(config, option, typed))
    }
    if (options.open) query.set('open', 'true')
    const listed = await callService(config, { method: 'GET', path: `/api/session?${query}`, answer: Sessions })
    if (options.json) return terminal.stdout(`${JSON.stringify(listed)}\n`)
    const names = await readSutNames(config, listed.sessions)
    for (const session of listed.sessions) {
      terminal.stdout(`${rowOf(session, names.get(session.sut_id) ?? session.sut_id)}\n`)
    }
  },
}
