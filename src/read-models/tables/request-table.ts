import { createHash } from 'node:crypto'
import type { SutRequestColumns } from '../../../projections/sut-request.ts'
import type { ListTable } from './list-table.ts'

/** Rows that lists show. */
export const REQUEST_LISTED = 'until IS NULL'

// With `until` an index of listed rows answers by itself.
export const requestTable: ListTable = {
  columns: ['user INTEGER NOT NULL', 'status TEXT NOT NULL', 'target INTEGER NOT NULL'],
  schema: `
  CREATE INDEX sut_request_listed ON sut_request (created, user, status, target, until) WHERE ${REQUEST_LISTED};
  CREATE INDEX sut_request_by_status ON sut_request (status, created, user, target, until) WHERE ${REQUEST_LISTED};
  CREATE INDEX sut_request_by_user ON sut_request (user, created, status, target, until) WHERE ${REQUEST_LISTED};
  CREATE INDEX sut_request_by_target ON sut_request (target, created, user, status, until) WHERE ${REQUEST_LISTED};`,
  makeWriter: ({ names }) => ({
    enter: ({ columns }) => {
      const [user_id, status, target] = columns as SutRequestColumns
      return [names.keyOf(user_id), status, names.keyOf(targetName(target))]
    },
  }),
}

/** The text by which names know a target: criteria can be long. */
const targetName = (target: string): string =>
  target.startsWith('{') ? createHash('sha256').update(target).digest('hex') : target
