import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as E from 'fp-ts/lib/Either.js'
import { makeTurns } from '../../concurrency/turns.ts'
import { failure, invalid } from '../../domain/failure.ts'
import { spreadsheetField } from '../../domain/values/csv-field.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { type CsvList, type CsvRows, csvHeader } from '../../read-models/lists/csv.ts'
import type { ListPage } from '../../read-models/lists/page.ts'
import type { Views } from '../../read-models/views.ts'
import type { Paging } from '../codecs/lists.ts'
import { inQuery } from '../codecs/query.ts'
import type { RouteResponse } from '../protocol/call.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { Listed } from './objects.ts'
import type { UserNames } from './visibility.ts'

/** Lists as CSV: all that match in one response, for spreadsheets. */

export const CSV = 'text/csv; charset=utf-8'

export interface CsvLimits {
  /** Rows of a list. */
  readonly rows: number
  /** Rows read and sent together. */
  readonly chunk: number
  /** Lists being sent, in all and to one user. A list of the longest kind holds about 1 MB. */
  readonly total: number
  readonly perUser: number
  /** Milliseconds for a client to take a list. */
  readonly timeout: number
}

const CSV_LIMITS: CsvLimits = { rows: 100_000, chunk: 250, total: 16, perUser: 4, timeout: 300_000 }

const withNames = ({ texts, userIds }: CsvRows, nameOf: UserNames): string =>
  texts.map((text, n) => (n === 0 ? text : spreadsheetField(nameOf(userIds[n - 1] ?? '')) + text)).join('')

/** Whether a response has ended because its client left or took too long. */
const isOfClient = (error: unknown): boolean => {
  const { code, name } = error as Error & { code?: string }
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_UNABLE_TO_PIPE' || name === 'AbortError'
}

export const makeCsvLists = (
  views: Pick<Views, 'readCsvRows'>,
  nameOf: UserNames,
  overrides: Partial<CsvLimits> = {},
) => {
  const limits = { ...CSV_LIMITS, ...overrides }
  const [all, own] = [makeTurns({ limit: limits.total }), makeTurns({ limit: limits.perUser })]

  const send = async (list: CsvList, positions: readonly PublicPosition[], response: ServerResponse): Promise<void> => {
    async function* rows(): AsyncGenerator<string> {
      yield csvHeader(list)
      for (let n = 0; n < positions.length; n += limits.chunk) {
        yield withNames(await views.readCsvRows({ list, positions: positions.slice(n, n + limits.chunk) }), nameOf)
      }
    }
    try {
      await pipeline(Readable.from(rows()), response, { signal: AbortSignal.timeout(limits.timeout) })
    } catch (error) {
      // The connection is closed, so that the client can see that the list is incomplete.
      response.destroy()
      if (!isOfClient(error)) throw error
    }
  }

  return {
    /** What to read in place of a page; one row more than a list may have. */
    part: { limit: limits.rows + 1, offset: 0, asPositions: true } as const,
    /** Refuses a query that is not one for CSV. It has no settings of SUTs either. */
    refuse: (query: Paging, kind: Listed): E.Either<Refusal, never> | undefined => {
      const ofPages = ['limit', 'offset', ...(kind === 'sut' ? ['include'] : [])]
      const given = ofPages.filter((name) => query[name as keyof Paging] !== undefined)
      if (given.length === 0) return undefined
      return E.left(invalid(given.map((name) => inQuery(name, 'is only for pages; CSV has all that match'))))
    },
    respond: (
      list: CsvList,
      { positions = [] }: Pick<ListPage, 'positions'>,
      position: PublicPosition | undefined,
      userId: string,
    ): E.Either<Refusal, RouteResponse> => {
      if (positions.length > limits.rows) {
        return E.left(failure('list_too_large', `More than ${limits.rows} rows match. Ask for a part, such as a span.`))
      }
      if (!all.isFree('') || !own.isFree(userId)) {
        return E.left(refusal('unavailable', 'Too many lists are being sent as CSV. Try again.'))
      }
      all.acquire('')
      own.acquire(userId)
      // Called once: after the list, or in place of it.
      const leave = (): void => {
        all.release('')
        own.release(userId)
      }
      const run = (response: ServerResponse) => send(list, positions, response).finally(leave)
      return E.right({ status: 200, body: { run, leave }, ...(position !== undefined && { position }) })
    },
  }
}
export type CsvLists = ReturnType<typeof makeCsvLists>
