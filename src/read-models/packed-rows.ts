import type { Columns } from '../../projections/projection.ts'
import { HASH_BYTES } from '../event-store/stored-event.ts'
import { ID_BYTES, idBytes, type LogRow } from './log-index.ts'
import type { NewVersion } from './version.ts'
import type { Row } from './views-file.ts'

/**
 * Rows as they go to another thread: copied as objects, with the names of their members and a buffer for each hash, they
 * would cost more than they take to be written.
 */
export interface PackedRows {
  /** Of places that follow each other: the position of the first, and what each has. */
  readonly first: number
  readonly marks: readonly number[]
  readonly ids: Uint8Array
  readonly leaves: Uint8Array
  readonly versions: readonly PackedVersion[]
}

type PackedVersion = readonly [
  projection: string,
  position: number,
  revision: number,
  id: string,
  document: string,
  ended: NewVersion['ended'],
  created: number,
  replaces: number | null,
  ...columns: Columns,
]

/** @param rows of whole events that follow each other */
export const packRows = (rows: readonly Row[]): PackedRows => {
  const places: LogRow[] = []
  const versions: PackedVersion[] = []
  for (const { place, projection, version } of rows) {
    if (place !== undefined) places.push(place)
    else {
      const { position, revision, id, document, ended, created, replaces, columns } = version
      versions.push([projection, position, revision, id, document, ended, created, replaces, ...columns])
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

/** The rows of places and after them those of documents, each in their order: they go into different tables. */
export const unpackRows = ({ first, marks, ids, leaves, versions }: PackedRows): readonly Row[] => {
  const places = marks.map((mark, n): Row => {
    const leaf = leaves.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES)
    const id = ids.subarray(n * ID_BYTES, (n + 1) * ID_BYTES)
    return { place: { position: first + n, mark, id, leaf } }
  })
  const documents = versions.map((packed): Row => {
    const [projection, position, revision, id, document, ended, created, replaces, ...columns] = packed
    return { projection, version: { position, revision, id, document, ended, created, replaces, columns } }
  })
  return [...places, ...documents]
}
