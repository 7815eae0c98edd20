import type { DatabaseSync } from 'node:sqlite'
import type { Table } from '../../../projections/projection.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import { makeInsertion } from './insertion.ts'
import { furtherColumns } from './schema.ts'
import { type NewVersion, VERSION_COLUMNS, type Version } from './version.ts'

export type VersionTable = ReturnType<typeof makeVersionTable>

const COMMON = ['position', 'revision', 'id', 'document', 'internal', 'ended', 'created', 'observed', 'is_observed']

/** The versions of the objects of a projection. */
export const makeVersionTable = (db: DatabaseSync, name: Table) => {
  const { add, flush, forget } = makeInsertion(db, name, [...COMMON, ...furtherColumns(name)])
  const replace = db.prepare(`UPDATE ${name} SET until = ? WHERE position = ?`)
  let replaced: { readonly former: PublicPosition; readonly by: PublicPosition }[] = []
  const select = (where: string) =>
    prepare<Version>(db, `SELECT ${VERSION_COLUMNS} FROM ${name} WHERE id = ? ${where} ORDER BY position DESC LIMIT 1`)
  const newest = select('')
  const asOf = select('AND revision <= ? AND is_observed <= ?')
  return {
    /** Takes a version. It is in the table after `flush` at the latest. */
    insert: (version: NewVersion): void => {
      const { position, revision, id, document, internal, ended, created, observed, isObserved, further } = version
      if (version.replaces !== null) replaced.push({ former: version.replaces, by: position })
      add([position, revision, id, document, internal, ended, created, observed, Number(isObserved), ...further])
    },
    flush: (): void => {
      flush()
      for (const { former, by } of replaced) replace.run(by, former)
      replaced = []
    },
    forget: (): void => {
      forget()
      replaced = []
    },
    newest: (id: string): Version | undefined => newest.get(id),
    /** The version as of a revision of its stream, by default without what was observed since. */
    asOf: (id: string, revision: number, withObserved: boolean): Version | undefined =>
      asOf.get(id, revision, Number(withObserved)),
  }
}
