/** Histories of a few SUTs, users and reservations, and the expected lists. */

import fc from 'fast-check'
import { projections } from '../../../projections/index.ts'
import type { EndKind, Projection, Row } from '../../../projections/projection.ts'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import { formatWithOffset } from '../../../src/domain/values/instant.ts'
import { type PublicPosition, toPublicPosition, toStorePosition } from '../../../src/domain/values/position.ts'
import {
  idOf,
  LISTEN_PORT,
  metadata,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
  sutCreated,
  sutRetired,
  sutUpdated,
} from '../../domain/builders.ts'
import { FIRST } from './many-reservations.ts'

const QUARTER = 900
const SUTS = 4
const USERS = 3
/** Quarters in which all reservations are. */
const QUARTERS = 400

export const sutIds = Array.from({ length: SUTS }, (_, n) => idOf(n))
export const userIds = Array.from({ length: USERS }, (_, n) => `user ${n}`)
export const moment = (quarter: number): number => FIRST + quarter * QUARTER

export const NAMES = [
  'Bench 1',
  'bench 12',
  'ΟΔΟΣ',
  'Οδος 2',
  'Straße',
  'STRASSE 3',
  'K',
  'kelvin K',
  'İstanbul',
  'a_%b',
]
export const TAGS = ['os', 'constructor', 'a.b-c_d', '0']
const VALUES = ['linux', 'Linux', '', '"', 'ü']

export const aName = fc.constantFrom(...NAMES)
export const aTag = fc.tuple(fc.constantFrom(...TAGS), fc.constantFrom(...VALUES))
export const aType = fc.constantFrom('vnc' as const, 'rdp' as const, 'tcp' as const)
export const aQuarter = fc.integer({ min: -5, max: QUARTERS + 5 })

interface Step {
  readonly kind: 'sut' | 'update' | 'retire' | 'create' | 'extend' | 'release' | 'cancel'
  readonly sut: number
  readonly user: number
  /** Selects one of the existing reservations. */
  readonly which: number
  readonly start: number
  readonly length: number
  readonly name: string
  readonly type: 'vnc' | 'rdp' | 'tcp'
  readonly isActive: boolean
  readonly tags: readonly (readonly [string, string])[]
}

const aStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('create' as const) },
    {
      weight: 5,
      arbitrary: fc.constantFrom('update' as const, 'extend' as const, 'release' as const, 'cancel' as const),
    },
    { weight: 1, arbitrary: fc.constantFrom('sut' as const, 'retire' as const) },
  ),
  sut: fc.nat(SUTS - 1),
  user: fc.nat(USERS - 1),
  which: fc.nat(),
  start: fc.nat(QUARTERS - 1),
  length: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 90, max: 200 })),
  name: aName,
  type: aType,
  isActive: fc.boolean(),
  tags: fc.array(aTag, { maxLength: 3 }),
})

export const aHistory: fc.Arbitrary<readonly Step[]> = fc.array(aStep, { maxLength: 60 })

/** The events that the steps record. A step with no effect records nothing. */
export const eventsOf = (steps: readonly Step[]): readonly Event[] => {
  const events: Event[] = []
  const suts = new Map<string, 'standing' | 'retired'>()
  const standing: { _id: string; sut_id: string; user_id: string; end: number }[] = []
  for (const [n, step] of steps.entries()) {
    const sut_id = sutIds[step.sut] as string
    const user_id = userIds[step.user] as string
    const values = { name: step.name, sut_type: step.type, is_active: step.isActive }
    const isThere = suts.get(sut_id) === 'standing'
    const one = standing[step.which % Math.max(1, standing.length)]
    const of = one && { _id: one._id, sut_id: one.sut_id, user_id: one.user_id }
    const written = (quarter: number): string => formatWithOffset(moment(quarter), (step.which % 25) * 60 - 720)
    if ((step.kind === 'sut' || step.kind === 'update') && !suts.has(sut_id)) {
      suts.set(sut_id, 'standing')
      events.push(sutCreated({ _id: sut_id, ...values }))
    } else if (step.kind === 'update' && isThere) {
      events.push(sutUpdated({ _id: sut_id, ...values, tags: Object.fromEntries(step.tags) }))
    } else if (step.kind === 'retire' && isThere) {
      suts.set(sut_id, 'retired')
      events.push({ ...sutRetired(), data: { _id: sut_id, listen_port: LISTEN_PORT } })
    } else if (step.kind === 'create') {
      const [_id, end] = [idOf(1000 + n), step.start + step.length]
      standing.push({ _id, sut_id, user_id, end })
      const created = reservationCreated(_id, written(step.start), written(end), user_id)
      events.push({ ...created, data: { ...created.data, sut_id } })
    } else if (of && step.kind === 'extend') {
      one.end += step.length
      const extended = reservationExtended(of._id, written(one.end))
      events.push({ ...extended, data: { ...extended.data, ...of } })
    } else if (of && step.kind === 'release') {
      standing.splice(standing.indexOf(one), 1)
      const released = reservationReleased(of._id, formatWithOffset(moment(one.end) - 1, 0))
      events.push({ ...released, data: { ...released.data, ...of } })
    } else if (of && step.kind === 'cancel') {
      standing.splice(standing.indexOf(one), 1)
      events.push({ ...reservationCancelled(of._id), data: of })
    }
  }
  return events
}

export const recordedAs = (event: Event, n: number): Recorded => ({
  ...event,
  id: `018f36f0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
  stream: 'story',
  revision: n,
  storePosition: toStorePosition(n),
  metadata: metadata('2029-12-31T00:00:00.000Z'),
})

/** A document of the model. */
export interface Known {
  readonly created: PublicPosition
  readonly document: Readonly<Record<string, unknown>>
  readonly internal: object
  readonly ended: EndKind | null
}

/** Every document after all events, newest created first. Event n is at position `n * stride`. */
export const documentsAfter = (name: Projection['name'], events: readonly Event[]): readonly Known[] => {
  const projection = projections.find((one) => one.name === name) as Projection
  const known = new Map<string, Known>()
  for (const [n, event] of events.entries()) {
    const recorded = recordedAs(event, n)
    const id = projection.key(recorded)
    if (id === undefined) continue
    const before = known.get(id)
    const { document, internal } = projection.evolve(before, recorded) as Row<Known['document']>
    known.set(id, {
      created: before?.created ?? toPublicPosition(n),
      ...{ document, internal },
      ended: projection.ended?.(recorded) ?? null,
    })
  }
  return [...known.values()].sort((a, b) => b.created - a.created)
}
