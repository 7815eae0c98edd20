import type { LogRow } from './log-index.ts'
import type { NewVersion } from './version.ts'

/**
 * What an event adds to the file: its row in the log index, and a version of a document for each projection it
 * concerns.
 */
export type Row =
  | { readonly logRow: LogRow; readonly projection?: never; readonly version?: never }
  | { readonly logRow?: never; readonly projection: string; readonly version: NewVersion }
