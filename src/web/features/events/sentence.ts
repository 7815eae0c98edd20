import { formatClock, formatDay, formatDuration, formatWhen } from '../../format/format.ts'
import { midnightOf } from '../../format/times.ts'
import type { IconName } from '../../parts/icon-name.ts'
import { sentenceOf as causeText } from './causes.ts'
import { type Change, type Entry, labelOf } from './entries.ts'
import {
  actorOf,
  type Kind,
  machineOf,
  named,
  ofMachine,
  type Part,
  type Reader,
  type Sentence,
  said,
  type Teller,
} from './telling.ts'
import { USER_TELLERS } from './user-tellers.ts'

/** What was recorded, in sentences: about the lab, or about one machine, which is "it". Pure. */

const time = (value: unknown): number => Date.parse(String(value))

/** `14:00 – 16:00`, with the day of each that is not the day of the entry. */
const windowText = (from: number, to: number, entry: Entry): string => {
  const day = midnightOf(Date.parse(entry.time))
  const at = (instant: number, before: number): string =>
    midnightOf(instant) === before ? formatClock(instant) : `${formatDay(instant)} ${formatClock(instant)}`
  return `${at(from, day)} – ${at(to, midnightOf(from))}`
}

/** `your reservation`, `the reservation of Priya Raghavan`. */
const reservationOf = (entry: Entry, reader: Reader): readonly Part[] => {
  const { data, actor } = entry
  const machine = ofMachine(entry, reader, 'for')
  if (data.user_id === reader.ownId) return ['your reservation', ...machine]
  return actor !== undefined && data.user_id === actor
    ? ['the reservation', ...machine]
    : ['the reservation of ', named(data.user_id, reader, false), ...machine]
}

const created: Teller = (entry, reader) => {
  const { data, actor } = entry
  const isOwn = data.user_id === actor
  const forWhom: readonly Part[] = isOwn ? [' for '] : [' for ', named(data.user_id, reader, false), ', ']
  const window = windowText(time(data.start_time), time(data.end_time), entry)
  const beyond = data.beyond_quota === true ? ', beyond the quota' : ''
  return said(
    'reservations',
    'calendar',
    actorOf(entry, reader),
    ' reserved ',
    machineOf(entry, reader),
    ...forWhom,
    `${window}${beyond}`,
  )
}

const repeated: Teller = (entry, reader) => {
  const { data, actor } = entry
  const forWhom: readonly Part[] = data.user_id === actor ? [] : [' for ', named(data.user_id, reader, false)]
  const when = ` ${String(data.count)} times, by the rule ${String(data.rrule)}`
  return said(
    ...(['reservations', 'calendar', actorOf(entry, reader), ' reserved ', machineOf(entry, reader)] as const),
    ...[...forWhom, when],
  )
}

/** That a reservation has another end. */
const endMoved =
  (verb: string): Teller =>
  (entry, reader) =>
    said(
      ...(['reservations', 'calendar', actorOf(entry, reader), verb] as const),
      ...reservationOf(entry, reader),
      ` to ${formatWhen(time(entry.data.end_time), Date.parse(entry.time))}`,
    )

const ofReservation =
  (icon: IconName, before: string, after = ''): Teller =>
  (entry, reader) =>
    said('reservations', icon, actorOf(entry, reader), before, ...reservationOf(entry, reader), after)

/** That a machine was tried for somebody who asked for any. */
const ofOffer =
  (verb: string): Teller =>
  (entry, reader) =>
    said('reservations', 'calendar', named(entry.data.user_id, reader, true), verb, machineOf(entry, reader))

/** `your request for a machine`, `the request of Priya Raghavan for a machine`. */
const requestOf = ({ data, actor }: Entry, reader: Reader): readonly Part[] => {
  if (data.user_id === reader.ownId) return ['your request for a machine']
  return data.user_id === actor
    ? ['the request for a machine']
    : ['the request of ', named(data.user_id, reader, false), ' for a machine']
}

/** That somebody waits for a machine, or for any that fits. */
const requested: Teller = (entry, reader) => {
  const { data, actor } = entry
  const what: Part = data.sut_id === undefined ? 'any machine that fits' : machineOf(entry, reader)
  const forWhom: readonly Part[] = data.user_id === actor ? [] : [' for ', named(data.user_id, reader, false)]
  const length = ` for ${formatDuration(Number(data.duration) * 1000)}`
  return said('reservations', 'queue', actorOf(entry, reader), ' asked for ', what, ...forWhom, length)
}

/** What ended a request before its time. */
const EXPIRY_CAUSES: Readonly<Record<string, string>> = {
  keepalive: ' did not ask for a machine any more',
  retired: ' did not get a machine, which was retired',
}

const expired: Teller = (entry, reader) =>
  said(
    ...(['reservations', 'x', named(entry.data.user_id, reader, true)] as const),
    EXPIRY_CAUSES[String(entry.data.cause)] ?? ' did not get a machine in time',
  )

const byTheClock =
  (verb: string): Teller =>
  (entry, reader) => {
    const machine = ofMachine(entry, reader, 'for')
    const { user_id } = entry.data
    return user_id === reader.ownId
      ? said('reservations', 'clock', 'Your reservation', ...machine, ` ${verb}`)
      : said('reservations', 'clock', 'The reservation of ', named(user_id, reader, false), ...machine, ` ${verb}`)
  }

const opened: Teller = (entry, reader) =>
  said('sessions', 'plug', named(entry.data.user_id, reader, true), ' connected', ...ofMachine(entry, reader, 'to'))

const closed: Teller = (entry, reader) =>
  said(
    ...(['sessions', 'plug', named(entry.data.user_id, reader, true)] as const),
    ...[' disconnected', ...ofMachine(entry, reader, 'from')],
    `, after ${formatDuration(time(entry.data.closed_at) - time(entry.data.opened_at))}`,
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
  // A new address makes what probes found unknown, which says nothing of what was done.
  const changes = entry.changes.filter(({ path }) => !path.startsWith('/monitoring'))
  const told = changes.slice(0, TOLD).map(changeText)
  const more = changes.length > TOLD ? [`${changes.length - TOLD} more`] : []
  const machine: readonly Part[] =
    reader.machineOf === undefined ? [' changed '] : [' changed ', machineOf(entry, reader), ': ']
  return said('changes', 'edit', actorOf(entry, reader), ...machine, [...told, ...more].join(', '))
}

/** That somebody did something with the machine. */
const doneWith =
  (icon: IconName, before: string, kind: Kind = 'changes', after = ''): Teller =>
  (entry, reader) =>
    said(kind, icon, actorOf(entry, reader), before, machineOf(entry, reader), after)

/** That something happened to the machine. */
const happened =
  (kind: Kind, icon: IconName, text: (entry: Entry) => string): Teller =>
  (entry, reader) =>
    said(kind, icon, machineOf(entry, reader, true), text(entry))

/** Why the service released a reservation. */
const RELEASE_CAUSES: Readonly<Record<string, string>> = {
  keepalive: ' because nobody kept it alive',
  unused: ' because nobody connected',
}

const TELLERS: Readonly<Record<string, Teller>> = {
  SutCreated: doneWith('plus', ' added '),
  SutUpdated: changed,
  SutRetired: doneWith('x', ' retired '),
  SutCreationAbandoned: doneWith('x', ' did not finish adding '),
  SutMonitoringEnabled: (entry, reader) =>
    doneWith('pulse', ' had ', 'monitoring', ` probed every ${String(entry.data.interval)} s`)(entry, reader),
  SutMonitoringDisabled: doneWith('pulse', ' stopped probing ', 'monitoring'),
  SutWentOnline: happened('monitoring', 'check', () => ' is online'),
  SutWentOffline: happened('monitoring', 'warning', ({ data }) => ` went offline: ${causeText(String(data.cause))}`),
  ReservationCreated: created,
  ReservationSeriesCreated: repeated,
  ReservationExtended: endMoved(' extended '),
  ReservationShortened: endMoved(' shortened '),
  ReservationReleased: (entry, reader) => {
    const { user_id, cause } = entry.data
    return user_id === entry.actor
      ? doneWith('check', ' released ', 'reservations')(entry, reader)
      : ofReservation('check', ' released ', RELEASE_CAUSES[String(cause)] ?? '')(entry, reader)
  },
  ReservationCancelled: ofReservation('x', ' cancelled '),
  ReservationBound: ofReservation('lock', ' allowed another computer to use '),
  ReservationUnbound: ofReservation('lock', ' ended the binding of ', ' by a new password'),
  ReservationKept: ofReservation('clock', ' kept ', ' alive'),
  MatchOffered: ofOffer(' was offered '),
  ReservationOfferRefused: ofOffer(' did not get '),
  ReservationRequested: requested,
  RequestOffered: ofOffer(' was offered '),
  RequestOfferClosed: ofOffer(' did not get '),
  RequestGranted: ofOffer(' was granted '),
  RequestKept: (entry, reader) =>
    said('reservations', 'clock', actorOf(entry, reader), ' still waits: ', ...requestOf(entry, reader)),
  RequestWithdrawn: (entry, reader) =>
    said('reservations', 'x', actorOf(entry, reader), ' withdrew ', ...requestOf(entry, reader)),
  RequestExpired: expired,
  ReservationStarted: byTheClock('began'),
  ReservationEnded: byTheClock('ended'),
  SessionOpened: opened,
  SessionClosed: closed,
  ListenPortAssigned: happened('changes', 'plug', ({ data }) => ` got the port ${String(data.listen_port)}`),
  ListenPortReleased: happened('changes', 'plug', ({ data }) => ` gave back the port ${String(data.listen_port)}`),
  ...USER_TELLERS,
}

export const sentenceOf = (entry: Entry, reader: Reader): Sentence => {
  const name = entry.type.replace(/^berth\./, '')
  return TELLERS[name]?.(entry, reader) ?? said('changes', 'edit', name)
}
