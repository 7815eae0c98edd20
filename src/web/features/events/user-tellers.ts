import { formatDate, formatNumber } from '../../format/format.ts'
import type { Role } from '../../service/session.ts'
import { roleTextOf } from '../people/user.ts'
import type { Entry } from './entries.ts'
import { actorOf, done, named, type Part, said, type Teller } from './telling.ts'

/** What was recorded of users, their tokens, and the service. Pure. */

const roleOf = (role: unknown): string => roleTextOf(role as Role).toLowerCase()

/** `40 hours a week, 20 reservations`. */
const quotaText = (quota: unknown): string => {
  if (quota === null) return 'the usual one'
  const { hours_per_week, reservations_max } = quota as Readonly<Record<string, unknown>>
  const hours = hours_per_week === null ? 'any number of' : formatNumber(Number(hours_per_week))
  const count = reservations_max === null ? 'any number of' : formatNumber(Number(reservations_max))
  return `${hours} hours a week, ${count} reservations`
}

const CREDENTIALS: Readonly<Record<string, string>> = { name: 'name', password: 'password' }

interface Told {
  readonly what: string
  /** Undefined for what nobody sees. */
  readonly to?: string
}

/** What an event says that changed. */
const changesOf = ({ data }: Entry): readonly Told[] => {
  const { changed = [] } = (data.credentials ?? {}) as { readonly changed?: readonly string[] }
  return [
    ...changed.flatMap((name) => (CREDENTIALS[name] === undefined ? [] : [{ what: CREDENTIALS[name] }])),
    ...('role' in data ? [{ what: 'role', to: roleOf(data.role) }] : []),
    ...('quota' in data ? [{ what: 'quota', to: quotaText(data.quota) }] : []),
    ...('scope' in data ? [{ what: 'scope', to: data.scope === '' ? 'all machines' : String(data.scope) }] : []),
  ]
}

const toText = ({ to }: Told): string => (to === undefined ? '' : ` to ${to}`)

const changed: Teller = (entry, reader) => {
  const [first, ...others] = changesOf(entry)
  const userId = entry.data._id
  const isOwn = userId === entry.actor
  const [actor, user] = [actorOf(entry, reader), named(userId, reader, false)]
  // A new epoch alone ends all sessions.
  if (first === undefined)
    return isOwn
      ? said('people', 'out', actor, ' signed out everywhere')
      : said('people', 'out', actor, ' signed ', user, ' out everywhere')
  const told = [first, ...others].map((each) => `${each.what}${toText(each)}`).join(', ')
  if (isOwn) return said('people', 'user', actor, ` changed ${userId === reader.ownId ? 'your' : 'their'} ${told}`)
  if (others.length === 0) return said('people', 'user', actor, ` changed the ${first.what} of `, user, toText(first))
  return said('people', 'user', actor, ' changed ', user, `: ${told}`)
}

const doneTo =
  (before: string, after: (entry: Entry) => string = () => ''): Teller =>
  (entry, reader) =>
    said('people', 'user', actorOf(entry, reader), before, named(entry.data._id, reader, false), after(entry))

const REMOVED: Readonly<Record<string, string>> = {
  cancel: ', and ended the reservations',
  keep: ', and kept the reservations',
}

const issued: Teller = (entry, reader) => {
  const { user_id, role, expires_at } = entry.data
  const until = expires_at === undefined ? '' : `, until ${formatDate(Date.parse(String(expires_at)))}`
  const forWhom: readonly Part[] = user_id === entry.actor ? [] : [' for ', named(user_id, reader, false)]
  return said('people', 'key', actorOf(entry, reader), ' made a token', ...forWhom, `, as ${roleOf(role)}${until}`)
}

/** `3 requests`, of what one event counts. */
const refusedText = ({ refusals, others }: Entry['data']): string => {
  const counts = (refusals ?? []) as readonly { readonly count: number }[]
  const all = counts.reduce((sum, { count }) => sum + count, Number(others ?? 0))
  return all === 1 ? 'a request' : `${formatNumber(all)} requests`
}

const revoked: Teller = (entry, reader) => {
  const { user_id, session_until } = entry.data
  if (session_until !== undefined) return said('people', 'out', named(user_id, reader, true), ' signed out')
  const ofWhom: readonly Part[] = user_id === entry.actor ? [] : [' of ', named(user_id, reader, false)]
  return said('people', 'key', actorOf(entry, reader), ' revoked a token', ...ofWhom)
}

export const USER_TELLERS: Readonly<Record<string, Teller>> = {
  UserAdded: doneTo(' added ', ({ data }) => ` as ${roleOf(data.role)}`),
  UserChanged: changed,
  UserRemoved: doneTo(' removed ', ({ data }) => REMOVED[String(data.reservations)] ?? ''),
  UserRestored: doneTo(' restored '),
  UserErased: doneTo(' erased the name of '),
  TokenIssued: issued,
  TokenRevoked: revoked,
  LogVersionSet: ({ data }) => said('service', 'up', `The log has version ${String(data.version)} from here on`),
  ScheduleBegan: () => said('service', 'clock', 'Berth began to record starts and ends'),
  RefusalsCounted: ({ data }) => said('service', 'x', `Berth refused ${refusedText(data)}`),
  AuditKeyReplaced: done('service', 'shield', ' replaced the key that signs checkpoints'),
  VaultKeyForgotten: done('service', 'lock', ' gave up a lost key of the vault'),
}
