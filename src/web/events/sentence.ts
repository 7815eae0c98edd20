import type { IconName } from '../parts/icon-name.ts'
import { clockOf, durationOf, midnightOf, shortDayOf } from '../timeline/times.ts'
import { type Change, type Entry, labelOf } from './entries.ts'

/** What was recorded, in sentences about a machine, which is "it". Pure. */

/** A text, or the name of somebody. */
export type Part = string | { readonly name: string }

export type Kind = 'reservations' | 'sessions' | 'changes' | 'monitoring'

export interface Sentence {
  readonly kind: Kind
  readonly icon: IconName
  readonly parts: readonly Part[]
}

export interface Reader {
  readonly ownId: string
  /** Undefined for somebody who cannot be named. */
  readonly nameOf: (userId: string) => string | undefined
}

type Teller = (entry: Entry, reader: Reader) => Sentence

/** Somebody as the subject of a sentence, or in the midst of it. */
const named = (userId: unknown, { ownId, nameOf }: Reader, isFirst: boolean): Part => {
  if (userId === ownId) return { name: isFirst ? 'You' : 'you' }
  const name = nameOf(String(userId))
  return name === undefined ? (isFirst ? 'Somebody' : 'somebody') : { name }
}

/** Who did it: a user, or Berth itself. */
const actorOf = ({ actor, actorname }: Entry, reader: Reader): Part => {
  if (actor === undefined) return 'Berth'
  if (actor === reader.ownId) return { name: 'You' }
  return actorname === undefined ? named(actor, reader, true) : { name: actorname }
}

const time = (value: unknown): number => Date.parse(String(value))

/** `14:00 – 16:00`, with the day of each that is not the day of the entry. */
const windowText = (from: number, to: number, entry: Entry): string => {
  const day = midnightOf(Date.parse(entry.time))
  const at = (instant: number, before: number): string =>
    midnightOf(instant) === before ? clockOf(instant) : `${shortDayOf(instant)} ${clockOf(instant)}`
  return `${at(from, day)} – ${at(to, midnightOf(from))}`
}

const said = (kind: Kind, icon: IconName, ...parts: readonly Part[]): Sentence => ({ kind, icon, parts })

/** `your reservation`, `the reservation of Priya Raghavan`. */
const reservationOf = ({ data, actor }: Entry, reader: Reader): readonly Part[] => {
  if (data.user_id === reader.ownId) return ['your reservation']
  return actor !== undefined && data.user_id === actor
    ? ['the reservation']
    : ['the reservation of ', named(data.user_id, reader, false)]
}

const created: Teller = (entry, reader) => {
  const { data, actor } = entry
  const isOwn = data.user_id === actor
  const forWhom: readonly Part[] = isOwn ? [' for '] : [' for ', named(data.user_id, reader, false), ', ']
  const window = windowText(time(data.start_time), time(data.end_time), entry)
  const beyond = data.beyond_quota === true ? ', beyond the quota' : ''
  return said('reservations', 'calendar', actorOf(entry, reader), ' reserved it', ...forWhom, `${window}${beyond}`)
}

const extended: Teller = (entry, reader) =>
  said(
    ...(['reservations', 'calendar', actorOf(entry, reader), ' extended '] as const),
    ...reservationOf(entry, reader),
    ` to ${clockOf(time(entry.data.end_time))}`,
  )

const ofReservation =
  (icon: IconName, before: string, after = ''): Teller =>
  (entry, reader) =>
    said('reservations', icon, actorOf(entry, reader), before, ...reservationOf(entry, reader), after)

const byTheClock =
  (verb: string): Teller =>
  ({ data }, reader) =>
    data.user_id === reader.ownId
      ? said('reservations', 'clock', `Your reservation ${verb}`)
      : said('reservations', 'clock', 'The reservation of ', named(data.user_id, reader, false), ` ${verb}`)

const closed: Teller = ({ data }, reader) =>
  said(
    ...(['sessions', 'plug', named(data.user_id, reader, true)] as const),
    ` disconnected, after ${durationOf(time(data.closed_at) - time(data.opened_at))}`,
  )

/** Characters of a value that are shown. */
const LONG = 60

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text === '""' || text === '' || value === null || value === undefined) return 'nothing'
  return [...text].length > LONG ? `${[...text].slice(0, LONG).join('')}…` : text
}

/** `version from 550.90 to 555.42`. */
const changeText = (change: Change): string => {
  const [, name = '', tag] = change.path.split('/')
  const label = name === 'tags' && tag !== undefined ? `the tag ${tag}` : labelOf(change).toLowerCase()
  if (change.changed) return `the ${label}`
  if (change.from === null || change.from === undefined || change.from === '') return `${label} to ${shown(change.to)}`
  return `${label} from ${shown(change.from)} to ${shown(change.to)}`
}

/** Changes told in a sentence, at most. */
const TOLD = 4

const changed: Teller = (entry, reader) => {
  const { changes } = entry
  const told = changes.slice(0, TOLD).map(changeText)
  const more = changes.length > TOLD ? [`${changes.length - TOLD} more`] : []
  return said('changes', 'edit', actorOf(entry, reader), ` changed ${[...told, ...more].join(', ')}`)
}

const done =
  (icon: IconName, text: string, kind: Kind = 'changes'): Teller =>
  (entry, reader) =>
    said(kind, icon, actorOf(entry, reader), text)

const TELLERS: Readonly<Record<string, Teller>> = {
  SutCreated: done('plus', ' added it'),
  SutUpdated: changed,
  SutRetired: done('x', ' retired it'),
  SutCreationAbandoned: done('x', ' did not finish adding it'),
  SutMonitoringEnabled: (entry, reader) =>
    said('monitoring', 'pulse', actorOf(entry, reader), ` had it probed every ${String(entry.data.interval)} s`),
  SutMonitoringDisabled: done('pulse', ' stopped probing it', 'monitoring'),
  ReservationCreated: created,
  ReservationExtended: extended,
  ReservationReleased: (entry, reader) =>
    entry.data.user_id === entry.actor
      ? said('reservations', 'check', actorOf(entry, reader), ' released it')
      : ofReservation('check', ' released ')(entry, reader),
  ReservationCancelled: ofReservation('x', ' cancelled '),
  ReservationBound: ofReservation('lock', ' allowed another computer to use '),
  ReservationUnbound: ofReservation('lock', ' ended the binding of ', ' by a new password'),
  ReservationStarted: byTheClock('began'),
  ReservationEnded: byTheClock('ended'),
  SessionOpened: ({ data }, reader) => said('sessions', 'plug', named(data.user_id, reader, true), ' connected'),
  SessionClosed: closed,
  ListenPortAssigned: ({ data }) => said('changes', 'plug', `It got the port ${String(data.listen_port)}`),
  ListenPortReleased: ({ data }) => said('changes', 'plug', `It gave back the port ${String(data.listen_port)}`),
}

export const sentenceOf = (entry: Entry, reader: Reader): Sentence => {
  const name = entry.type.replace(/^berth\./, '')
  return TELLERS[name]?.(entry, reader) ?? said('changes', 'edit', name)
}
