import { workerData } from 'node:worker_threads'
import { answerCalls } from '../concurrency/answer-calls.ts'
import { BEFORE_FIRST, type PublicPosition } from '../domain/values/position.ts'
import { makeAvailable } from './availability/available.ts'
import { openViewsFile } from './file/views-file.ts'
import type { ListReads, ReaderOptions, ReaderThread } from './list-reader.ts'
import type { Details } from './lists/lists.ts'

/** The worker thread that reads lists; see list-reader.ts. */

const { path, projections } = workerData as ReaderOptions
const file = openViewsFile(path, projections, { readOnly: true })
const { past } = file.lists

const reads: ListReads = {
  ...file.lists,
  available: makeAvailable(file.lists, (sutId) => file.newest('sut', sutId)?.created),
  pastSuts: past.suts,
  pastReservations: ({ offset, limit, ...query }, asOf) => {
    const documents: string[] = []
    const details: Details[] = []
    const positions: PublicPosition[] = []
    let count = 0
    for (const segment of past.segments(asOf)) {
      const part = { limit: limit - documents.length - positions.length, offset: Math.max(0, offset - count) }
      const page = past.reservations({ ...query, ...part }, asOf, segment)
      documents.push(...page.documents)
      details.push(...(page.details ?? []))
      positions.push(...(page.positions ?? []))
      count += page.count
    }
    return { documents, count, ...(query.asPositions ? { positions } : query.withDetails && { details }) }
  },
}

/** Reads within one read transaction. */
const read: ReaderThread['read'] = (name, args) => {
  const find = reads[name] as (...args: readonly unknown[]) => never
  file.pin()
  try {
    return { position: file.progress()?.position ?? BEFORE_FIRST, listed: find(...args) }
  } finally {
    file.unpin()
  }
}

answerCalls({ read } satisfies ReaderThread)
