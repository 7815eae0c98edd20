import { spreadsheetField } from '../../domain/values/csv-field.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { columnsOfList, type Value } from './csv-columns.ts'
import { columnsOf, type DetailedRow } from './details.ts'
import type { CsvQuery, CsvRows } from './lists.ts'

/** Joins values into text, and begins a new one at each name. */
const makeText = () => {
  const texts: string[] = []
  const userIds: string[] = []
  let text = ''
  return {
    add: (value: Value): void => {
      if (value === null) return
      if (typeof value !== 'object') text += spreadsheetField(String(value))
      else {
        texts.push(text)
        userIds.push(value.nameOf)
        text = ''
      }
    },
    addPlain: (plain: string): void => {
      text += plain
    },
    end: (): CsvRows => ({ texts: [...texts, text], userIds }),
  }
}

export const makeCsvRows =
  (ask: RunQuery) =>
  ({ list, positions }: CsvQuery): CsvRows => {
    const columns = columnsOfList(list)
    const detailed = list.of === 'reservation' && list.include.size > 0
    const selected = columnsOf(detailed ? { withDetails: true, visibility: list.visibility } : {})
    const text = makeText()
    for (const position of positions) {
      const sql = `SELECT ${selected.sql} FROM ${list.of} d WHERE d.position = ?`
      const [row] = ask<DetailedRow>(sql, ...selected.values, position)
      if (row === undefined) throw new Error(`there is no ${list.of} at position ${position}`)
      const document = JSON.parse(row.document) as never
      columns.forEach(([, read], n) => {
        if (n > 0) text.addPlain(',')
        text.add(read(document, row))
      })
      text.addPlain('\r\n')
    }
    return text.end()
  }
