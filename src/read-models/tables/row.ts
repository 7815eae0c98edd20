import type { LogRow } from './log-index.ts'
import type { NewVersion } from './version.ts'

/** What an event leaves in the file: its place in the log, and a version of a document of each projection that has one. */
export type Row =
  | { readonly place: LogRow; readonly projection?: never; readonly version?: never }
  | { readonly place?: never; readonly projection: string; readonly version: NewVersion }
