import * as t from 'io-ts'
import type { Config } from '../../app/config/config.ts'
import type { Exported, Wanted } from '../../archive/export-log.ts'
import type { EventStore, StoredRecord } from '../../event-store/event-store.ts'
import { openLogReader } from '../log/log-reader.ts'
import { type Calls, makeCalls } from '../service/call.ts'
import { Misused, type Terminal } from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'

/** The format of the leaves of the Merkle tree: the events as they are stored, which no other format shows. */
export const LEAVES = 'leaves'

/** Positions, of which the second is excluded. */
interface Span {
  readonly from: number
  readonly to: number
}

/** A root is computed from all leaves up to a position. @throws Misused for what selects others */
export const leafSpan = ({ from, to, types, sutId }: Wanted): Span => {
  if ((types?.size ?? 0) > 0 || sutId !== undefined) throw new Misused('--format leaves takes no --type and no --sut')
  if ((from && 'time' in from) || (to && 'time' in to)) {
    throw new Misused('--format leaves takes positions as --from and --to')
  }
  return { from: from?.position ?? 0, to: to?.position ?? Number.MAX_SAFE_INTEGER }
}

/** Leaves of a request. */
const PAGE = 1_000

async function* askForLeaves({ call }: Calls, { from, to }: Span): AsyncGenerator<readonly string[]> {
  for (let next = from; next < to; ) {
    const path = `/api/audit/leaves?from=${next}&limit=${Math.min(PAGE, to - next)}`
    const body = await call({ method: 'GET', path, accept: 'application/x-ndjson', answer: t.string })
    const page = body.split('\n').slice(0, -1)
    if (page.length === 0) return
    yield page
    next += page.length
  }
}

async function* leavesIn(
  records: AsyncIterable<readonly StoredRecord[]>,
  { from, to }: Span,
): AsyncGenerator<readonly string[]> {
  let next = from
  for await (const page of records) {
    yield page.slice(0, to - next).map(({ text }) => text)
    next += page.length
    if (next >= to) return
  }
}

/** The leaves of a log, or else of the service, one a line, and what ends the display of progress. */
export const exportLeaves = async (
  span: Span,
  exported: Exported,
  config: Config,
  store: EventStore | undefined,
  terminal: Terminal,
) => {
  const read = store && (await openLogReader(store, config, terminal, span.from))
  const progress = makeProgress(terminal)
  const { onProgress, endProgress } = read ?? {
    onProgress: (done: number): void => progress.show(done, undefined),
    endProgress: progress.end,
  }
  const pages = read ? leavesIn(read.records(), span) : askForLeaves(makeCalls(config, terminal), span)
  const pieces = async function* (): AsyncGenerator<string> {
    for await (const page of pages) {
      if (page.length === 0) continue
      exported.first ??= span.from
      exported.events += page.length
      exported.last = span.from + exported.events - 1
      onProgress(exported.last + 1)
      yield page.map((text) => `${text}\n`).join('')
    }
  }
  return { pieces: pieces(), endProgress }
}
