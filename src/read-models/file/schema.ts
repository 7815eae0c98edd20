import type { Projection } from '../../../projections/projection.ts'
import { documentSchema } from '../tables/document-table.ts'
import { ID_KEYS_SCHEMA } from '../tables/id-keys.ts'
import { LOG_SCHEMA } from '../tables/log-index.ts'
import { SNAPSHOT_SCHEMA } from './snapshot-table.ts'

/** 4 MB. */
export const CHECKPOINT_PAGES = 250
// Rows arrive in the order of nearly every index, so large pages cost less. The WAL is checkpointed every 4 MB. With
// NORMAL, a power cut may lose the newest rows, which are refolded from the log; it cannot damage the file.
export const PRAGMAS = `PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000;
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`

/** The version of this file's shape; projections have their own. */
const FILE_VERSION = 16

/** What the file needs to know of a projection. */
export type Shape = Pick<Projection, 'name' | 'version'>

/** The shape a file must have to be used. */
export const shapeOf = (projections: readonly Shape[]): string =>
  [`file ${FILE_VERSION}`, ...projections.map(({ name, version }) => `${name} ${version}`)].join(', ')

export const tables = (projections: readonly Shape[]): string => `
  CREATE TABLE progress (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    shape TEXT NOT NULL, logId TEXT NOT NULL, position INTEGER NOT NULL, storePosition INTEGER NOT NULL, eventId TEXT NOT NULL,
    stream TEXT NOT NULL, revision INTEGER NOT NULL, synced INTEGER NOT NULL
  ) STRICT;
  ${SNAPSHOT_SCHEMA}
  ${ID_KEYS_SCHEMA}
  ${LOG_SCHEMA}
  ${projections.map(documentSchema).join('')}`
