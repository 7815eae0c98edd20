import type { Projection } from '../../../projections/projection.ts'
import { documentSchema } from '../tables/document-table.ts'
import { ID_KEYS_SCHEMA } from '../tables/id-keys.ts'
import { LOG_SCHEMA } from '../tables/log-index.ts'
import { TIME_INDEX_SCHEMA } from '../tables/time-index.ts'
import { SNAPSHOT_SCHEMA } from './snapshot-table.ts'

/** 4 MB. */
export const CHECKPOINT_PAGES = 250
// Rows come in the order of nearly every index: in large pages they cost less. What is in the WAL is checkpointed by 4 MB.
// NORMAL: a power cut may take the newest rows, which the log gives again; it cannot damage the file.
export const PRAGMAS = `PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000;
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`
/** By 64 MB: most pages are in several transactions and go into the file once, with fewer syncs to wait for. */
export const BULK_LOAD_PRAGMAS = 'PRAGMA wal_autocheckpoint = 4000'

/** The shape of this file; documents have their projections' versions beside it. */
const FILE_VERSION = 8

/** What the file has to know of a projection. */
export type Shape = Pick<Projection, 'name' | 'version'>

/** What a file has to be made for to be used. */
export const shapeOf = (projections: readonly Shape[]): string =>
  [`file ${FILE_VERSION}`, ...projections.map(({ name, version }) => `${name} ${version}`)].join(', ')

export const tables = (projections: readonly Shape[]): string => `
  CREATE TABLE progress (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    shape TEXT NOT NULL, logId TEXT NOT NULL, position INTEGER NOT NULL, mark INTEGER NOT NULL, eventId TEXT NOT NULL,
    stream TEXT NOT NULL, revision INTEGER NOT NULL
  ) STRICT;
  ${SNAPSHOT_SCHEMA}
  ${ID_KEYS_SCHEMA}
  ${LOG_SCHEMA}
  ${TIME_INDEX_SCHEMA}
  ${projections.map(documentSchema).join('')}`
