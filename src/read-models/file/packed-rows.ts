import type { Columns } from '../../../projections/projection.ts'
import { HASH_BYTES } from '../../event-store/stored-event.ts'
import { ID_BYTES, idBytes, type LogRow } from '../tables/log-index.ts'
import type { Row } from '../tables/row.ts'
import type { NewVersion } from '../tables/version.ts'

/**
 * Rows packed by column for another thread. Copied as objects or nested arrays, with a clone for each, they would cost
 * as much as folding them.
 */
export interface PackedRows {
  /** Log positions of consecutive events: the first position, then one entry each. */
  readonly first: number
  readonly marks: readonly number[]
  readonly ids: Uint8Array
  readonly leaves: Uint8Array
  readonly versions: ReadonlyMap<string, PackedVersions>
}

/** Versions of one projection's documents. */
interface PackedVersions {
  readonly positions: number[]
  readonly revisions: number[]
  readonly ids: string[]
  readonly documents: string[]
  readonly ended: NewVersion['ended'][]
  readonly created: number[]
  readonly replaces: (number | null)[]
  readonly columns: Columns[number][][]
  readonly observed: (number | undefined)[]
  readonly isObserved: (boolean | undefined)[]
}

const nothing = ({ columns }: NewVersion): PackedVersions => ({
  positions: [],
  revisions: [],
  ids: [],
  documents: [],
  ended: [],
  created: [],
  replaces: [],
  columns: columns.map(() => []),
  observed: [],
  isObserved: [],
})

const pack = (packed: PackedVersions, version: NewVersion): void => {
  packed.positions.push(version.position)
  packed.revisions.push(version.revision)
  packed.ids.push(version.id)
  packed.documents.push(version.document)
  packed.ended.push(version.ended)
  packed.created.push(version.created)
  packed.replaces.push(version.replaces)
  packed.observed.push(version.observed)
  packed.isObserved.push(version.isObserved)
  for (let n = 0; n < packed.columns.length; n++) packed.columns[n]?.push(version.columns[n] as Columns[number])
}

/** @param rows the rows of whole, consecutive events */
export const packRows = (rows: readonly Row[]): PackedRows => {
  const places: LogRow[] = []
  const versions = new Map<string, PackedVersions>()
  for (const { place, projection, version } of rows) {
    if (place !== undefined) places.push(place)
    else {
      let packed = versions.get(projection)
      if (packed === undefined) {
        packed = nothing(version)
        versions.set(projection, packed)
      }
      pack(packed, version)
    }
  }
  const leaves = new Uint8Array(places.length * HASH_BYTES)
  for (const [n, { leaf }] of places.entries()) leaves.set(leaf, n * HASH_BYTES)
  return {
    first: places[0]?.position ?? 0,
    marks: places.map(({ mark }) => mark),
    ids: idBytes(places.map(({ id }) => id as string)),
    leaves,
    versions,
  }
}

const unpack = (packed: PackedVersions): readonly NewVersion[] =>
  packed.positions.map((position, n) => ({
    position,
    revision: packed.revisions[n] as number,
    id: packed.ids[n] as string,
    document: packed.documents[n] as string,
    ended: packed.ended[n] as NewVersion['ended'],
    created: packed.created[n] as number,
    replaces: packed.replaces[n] as number | null,
    ...(packed.isObserved[n] !== undefined && {
      observed: packed.observed[n] as number,
      isObserved: packed.isObserved[n],
    }),
    columns: packed.columns.map((values) => values[n] as Columns[number]),
  }))

/**
 * Log rows, then document rows in the order of the log: the ids of SUTs and users are numbered as they appear. Those of
 * one event go into different tables.
 */
export const unpackRows = ({ first, marks, ids, leaves, versions }: PackedRows): readonly Row[] => {
  const places = marks.map((mark, n): Row => {
    const leaf = leaves.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES)
    const id = ids.subarray(n * ID_BYTES, (n + 1) * ID_BYTES)
    return { place: { position: first + n, mark, id, leaf } }
  })
  const documents = [...versions].flatMap(([projection, packed]) =>
    unpack(packed).map((version) => ({ projection, version })),
  )
  return [...places, ...documents.sort((a, b) => a.version.position - b.version.position)]
}
