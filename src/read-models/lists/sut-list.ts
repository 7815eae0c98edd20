import { foldForSearch } from '../../../projections/sut.ts'
import { LISTED, RETIRED } from '../tables/sut-table.ts'
import { type Condition, condition, optional, valuesOf } from './conditions.ts'
import type { Page, RunQuery, SutQuery } from './lists.ts'

export const filtersOf = ({
  sut_type,
  is_active,
  monitoring,
  name,
  tags = {},
  scope = {},
}: SutQuery): readonly Condition[] => [
  ...optional('sut_type = ?', sut_type),
  ...(is_active === undefined ? [] : [condition('is_active = ?', is_active ? 1 : 0)]),
  ...optional('monitoring = ?', monitoring),
  ...(name === undefined ? [] : [condition('instr(folded_name, ?) > 0', foldForSearch(name))]),
  // Tag names contain no character that is special within a quoted JSON path.
  ...[...Object.entries(tags), ...Object.entries(scope)].map(([tag, value]) =>
    condition('json_extract(tags, ?) = ?', `$."${tag}"`, value),
  ),
]

/** The index of the rows to list, and their condition. */
export const rowsOf = ({ retired = false }: SutQuery): readonly [index: string, rows: string] =>
  retired ? ['sut_retired', RETIRED] : ['sut_listed', LISTED]

export const makeSutList =
  (ask: RunQuery) =>
  (query: SutQuery): Page => {
    const filters = filtersOf(query)
    const { createdBefore, limit, offset } = query
    const [index, rowsHere] = rowsOf(query)
    const where = (conditions: readonly Condition[]): string =>
      `FROM sut INDEXED BY ${index} WHERE ${[rowsHere, ...conditions.map(({ sql }) => sql)].join(' AND ')}`
    const here = createdBefore === undefined ? filters : [...filters, condition('created < ?', createdBefore)]
    const [counted] = ask<{ n: number }>(`SELECT count(*) AS n ${where(filters)}`, ...valuesOf(filters))
    const rows = ask<{ document: string }>(
      `SELECT d.document FROM (SELECT position, created ${where(here)} ORDER BY created DESC LIMIT ? OFFSET ?) AS page
       CROSS JOIN sut d WHERE d.position = page.position ORDER BY page.created DESC`,
      ...valuesOf(here),
      limit,
      offset,
    )
    return { documents: rows.map(({ document }) => document), count: counted?.n ?? 0 }
  }

/** Of SUTs in use, without a filter on name or tags and without a scope, at most one entry per port is read. */
export const isShort = ({ name, tags = {}, scope, offset, retired = false }: SutQuery): boolean =>
  !retired && name === undefined && scope === undefined && Object.keys(tags).length === 0 && offset === 0
