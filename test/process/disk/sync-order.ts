import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** A relevant system call in a trace. */
export type Call =
  | { readonly kind: 'written to the log'; readonly data: string }
  | { readonly kind: 'synced'; readonly since: number }
  | { readonly kind: 'sent'; readonly data: string }

const LINE = /^(\d+) +(?:(\w+)\(\d+<([^>]*)>|<\.\.\. (\w+) resumed>)(.*)$/s
const SYNCS = ['fsync', 'fdatasync']

/**
 * The calls of a trace made with `strace -f -y`, in order. `since` is the number of calls before the sync began: only
 * data written before them is certain to be on the disk when the sync ends.
 */
export const readCalls = async (lines: AsyncIterable<string> | Iterable<string>): Promise<readonly Call[]> => {
  const calls: Call[] = []
  /** The syncs in progress, by thread. */
  const begun = new Map<string, number>()
  for await (const line of lines) {
    const [, thread = '', name = '', file = '', resumed, rest = ''] = LINE.exec(line) ?? []
    const isOfLog = file.endsWith('/events.db-wal')
    if (SYNCS.includes(name) && isOfLog && rest.includes('<unfinished')) begun.set(thread, calls.length)
    else if (SYNCS.includes(name) && isOfLog && rest.endsWith(' = 0'))
      calls.push({ kind: 'synced', since: calls.length })
    else if (resumed !== undefined && SYNCS.includes(resumed) && begun.has(thread)) {
      if (rest.endsWith(' = 0')) calls.push({ kind: 'synced', since: begun.get(thread) as number })
      begun.delete(thread)
    } else if (isOfLog) calls.push({ kind: 'written to the log', data: rest })
    else if (/^(?:socket|TCP)/.test(file)) calls.push({ kind: 'sent', data: rest })
  }
  return calls
}

export const readTrace = (path: string): Promise<readonly Call[]> =>
  readCalls(createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY }))

/** The words of answers that were sent before they were written to the log and synced. */
export const problemsOfOrder = (calls: readonly Call[], words: readonly string[]): readonly string[] => {
  const firstWith = (kind: 'written to the log' | 'sent', word: string): number =>
    calls.findIndex((call) => call.kind === kind && call.data.includes(word))
  return words.flatMap((word) => {
    const sent = firstWith('sent', word)
    const written = firstWith('written to the log', word)
    if (sent === -1) return [`${word} is in no answer of the trace`]
    if (written === -1) return [`${word} was never written to the log`]
    const synced = calls.findIndex((call) => call.kind === 'synced' && call.since > written)
    return synced !== -1 && synced < sent ? [] : [`${word} was sent before it was synced`]
  })
}
