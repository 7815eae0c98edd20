/** The list of machines: what a row says, which rows are shown, and in what order. Pure. */

import { type Sut, systemOf } from '../../data/objects.ts'
import { csvOf } from '../../features/import/csv-rows.ts'
import { type MachineState, stateOf } from '../../features/machines/machine-state.ts'
import type { Booked } from '../../features/schedule/calendar.ts'
import { isFreeForAnHour, matchesTags, matchesText } from '../../features/view/filter.ts'
import { fold } from '../../format/format.ts'
import { type Order, orderedBy } from '../../parts/show/order.ts'

export interface Row {
  readonly sut: Sut
  readonly state: MachineState
  readonly who: string | undefined
  readonly nextWho: string | undefined
  readonly isFree: boolean
}

export const rowOf = (
  sut: Sut,
  booked: readonly Booked[],
  now: number,
  ownId: string,
  nameOf: (userId: string) => string,
): Row => {
  const state = stateOf(sut, booked, now, ownId)
  const name = (of: Booked | undefined): string | undefined =>
    of === undefined ? undefined : of.userId === ownId ? 'You' : nameOf(of.userId)
  return { sut, state, who: name(state.running), nextWho: name(state.next), isFree: isFreeForAnHour(sut, booked, now) }
}

export type Kind = MachineState['kind']

export interface Filter {
  readonly text: string
  readonly kinds: ReadonlySet<Kind>
  readonly types: ReadonlySet<Sut['sut_type']>
  /** `name=value`. */
  readonly tags: ReadonlySet<string>
}

export const NO_FILTER: Filter = { text: '', kinds: new Set(), types: new Set(), tags: new Set() }

const hasText = ({ sut, who }: Row, text: string): boolean =>
  matchesText(sut, text) || fold(who ?? '').includes(fold(text))

export const matches = (row: Row, { text, kinds, types, tags }: Filter): boolean =>
  (text === '' || hasText(row, text)) &&
  (kinds.size === 0 || kinds.has(row.state.kind)) &&
  (types.size === 0 || types.has(row.sut.sut_type)) &&
  matchesTags(row.sut, tags)

const VALUES = {
  name: ({ sut }: Row) => sut.name,
  state: ({ state }: Row) => state.text,
  who: ({ who }: Row) => who,
  until: ({ state }: Row) => state.running?.to,
  system: ({ sut }: Row) => systemOf(sut) || undefined,
  type: ({ sut }: Row) => sut.sut_type,
}
export type By = keyof typeof VALUES

export const ordered = (rows: readonly Row[], order: Order<By>): readonly Row[] =>
  orderedBy(rows, order, VALUES, ({ sut }) => [sut.name, sut._id])

/** `6 free for 1 h, 13 in use, 2 offline, 1 inactive`. */
export const summaryOf = (rows: readonly Row[]): string => {
  const count = (...kinds: readonly Kind[]): number => rows.filter(({ state }) => kinds.includes(state.kind)).length
  return [
    [rows.filter(({ isFree }) => isFree).length, 'free for 1 h'],
    [count('used', 'own'), 'in use'],
    [count('off'), 'offline'],
    [count('inactive'), 'inactive'],
  ]
    .filter(([many], n) => n === 0 || many !== 0)
    .map(([many, text]) => `${many} ${text}`)
    .join(', ')
}

/** Machines that are asked for together: those in view, and those around them. */
const BLOCK = 100

/** The rows around those in view, the same for a quarter of a block of scrolling. */
export const blockOf = (shown: readonly Pick<Row, 'sut'>[], [first]: readonly string[]): readonly string[] => {
  const at = shown.findIndex(({ sut }) => sut._id === first)
  const start = Math.max(0, Math.floor(at / (BLOCK / 4)) * (BLOCK / 4))
  return shown.slice(start, start + BLOCK).map(({ sut }) => sut._id)
}

/** Columns of a file that can be imported again. */
const FIELDS = [
  ...(['name', 'address', 'port', 'sut_type', 'is_active', 'os', 'version', 'manufacturer', 'model'] as const),
  'description',
] as const
const SETTINGS = ['turnaround', 'release_unused_after'] as const

/** Machines as CSV (RFC 4180), as an import takes them. */
export const toCsv = (suts: readonly Sut[]): string => {
  const tags = [...new Set(suts.flatMap((sut) => Object.keys(sut.tags)))].sort()
  const header = [...FIELDS, ...SETTINGS, ...tags.map((name) => `tag.${name}`)]
  const rows = suts.map((sut) => [
    ...FIELDS.map((name) => String(sut[name])),
    ...SETTINGS.map((name) => String(sut.settings?.[name] ?? '')),
    ...tags.map((name) => sut.tags[name] ?? ''),
  ])
  return csvOf([header, ...rows])
}
