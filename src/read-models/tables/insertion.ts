import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** Rows per statement: more hardly help. Remaining rows use the smaller statements. */
const TOGETHER = [16, 8, 4, 2, 1] as const

/** Inserts several rows per statement, which takes two thirds of the time. */
export interface Insertion {
  /** Takes a row. It is in the table after `flush` at the latest. */
  readonly add: (row: readonly SQLInputValue[]) => void
  readonly flush: () => void
  /** Called after a failed transaction: discards waiting rows. */
  readonly forget: () => void
}

/** @param placeholders the SQL for the values of a row, such as `?, NULL, ?` */
export const makeInsertion = (db: DatabaseSync, table: string, placeholders: string): Insertion => {
  // OR ROLLBACK: otherwise SQLite copies every page that the statement changes, to be able to undo the statement alone.
  const prepared = new Map<number, StatementSync>()
  /** Prepared when first needed: for all tables together they are fifty, a tenth of the time to open the views. */
  const statementFor = (count: number): StatementSync => {
    const known = prepared.get(count)
    if (known !== undefined) return known
    const rows = Array.from({ length: count }, () => `(${placeholders})`).join(', ')
    const statement = db.prepare(`INSERT OR ROLLBACK INTO ${table} VALUES ${rows}`)
    prepared.set(count, statement)
    return statement
  }
  // Never emptied: growing the array again would take as long as filling it.
  const waiting: SQLInputValue[] = []
  let values = 0
  let rows = 0
  const forget = (): void => {
    values = 0
    rows = 0
  }
  const flush = (): void => {
    const width = values / rows
    let done = 0
    for (const count of TOGETHER) {
      while (rows - done >= count) {
        statementFor(count).run(
          ...(count === TOGETHER[0] ? waiting : waiting.slice(done * width, (done + count) * width)),
        )
        done += count
      }
    }
    forget()
  }
  return {
    add: (row) => {
      for (const value of row) waiting[values++] = value
      if (++rows === TOGETHER[0]) flush()
    },
    flush,
    forget,
  }
}
