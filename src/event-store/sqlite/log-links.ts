import { type PublicPosition, toPublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import { ALL_HEADS, END, LAST } from './heads.ts'
import { openToRead } from './open.ts'
import { findMissingRows, findSchemaDifferences } from './schema.ts'
import { findClaimProblem } from './writer-claim.ts'

export interface StreamHead {
  readonly stream: string
  readonly revision: number
  readonly position: PublicPosition
}

/**
 * Opens what a log has beside its events: heads and the end. Reads depend on them, but they are not in the Merkle tree. A
 * writer may be running.
 *
 * @throws UnusableLog
 */
export const openLinks = (path: string) => {
  const database = openToRead(path)
  const heads = prepare<StreamHead>(database, ALL_HEADS)
  const end = database.prepare(END)
  const last = database.prepare(LAST)
  return {
    heads: () => heads.iterate(),
    /** Recorded position of the last event appended, even if it is missing. */
    end: () => toPublicPosition(Number(end.get()?.found)),
    /** Position of the last event present. */
    last: () => toPublicPosition(Number(last.get()?.found)),
    /** What is wrong with the file beside its events, as phrases: its schema, and the note of its last writer. */
    faults: (): readonly string[] => {
      const claim = findClaimProblem(database)
      return [...findSchemaDifferences(database), ...findMissingRows(database), ...(claim === undefined ? [] : [claim])]
    },
    close: (): void => database.close(),
  }
}
