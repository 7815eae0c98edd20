import type { StoredRecord } from '../event-store/event-store.ts'
import { leafHash } from '../event-store/stored-event.ts'
import { makeRules } from './rules.ts'
import { type Against, type Compared, holdAgainst, type Place } from './verify-checkpoints.ts'
import { type Finding, type Findings, makeFindings } from './verify-findings.ts'
import { type LinksOf, makeLinkJudge } from './verify-links.ts'
import { makeRead } from './verify-read.ts'
import { growTree } from './verify-tree.ts'

export interface VerifyOptions {
  /** The whole log as it lies. */
  readonly records: AsyncIterable<readonly StoredRecord[]>
  /** Where the embedded store keeps the log, whose marks are positions: what leads through it beside the events. */
  readonly links?: LinksOf | undefined
  readonly against?: readonly Against[]
  /** Told how many events have been looked at. */
  readonly onProgress?: (done: number) => void
}

export interface Verified {
  /** How many events the log has. */
  readonly events: number
  /** The head of the Merkle tree over them, in base64. */
  readonly root: string
  /** How many things were found; the first 10,000 are named. */
  readonly found: number
  readonly findings: readonly Finding[]
  readonly against: readonly Compared[]
  /** Where the log is no longer what was signed, as far as the checkpoints tell. */
  readonly place?: Place
}

/** Events between two words about the progress. */
const EVERY = 8_192

const judgePlaces = (findings: Findings, isDense: boolean) => {
  let next = 0
  let last = -1
  /** The public position of a record. */
  return (mark: number): number => {
    const position = isDense ? mark : next
    if (isDense && mark !== next) {
      const missing = mark - 1 === next ? `the event at ${next} is` : `the events from ${next} to ${mark - 1} are`
      findings.add(mark, `${missing} missing`)
    }
    if (mark <= last) findings.add(position, 'it lies before the one that it follows')
    last = mark
    next = position + 1
    return position
  }
}

/**
 * Reads a whole log once and holds it against everything that Berth promises of it, and against checkpoints.
 *
 * @throws StoreUnavailable where it cannot be read to its end
 */
export const verifyLog = async (options: VerifyOptions): Promise<Verified> => {
  const { records, links, against = [], onProgress } = options
  const findings = makeFindings()
  const [rules, tree, checkpoints, read] = [makeRules(), growTree(), holdAgainst(against), makeRead()]
  const placeOf = judgePlaces(findings, links !== undefined)
  const linkJudge = links && makeLinkJudge(links, findings)
  let position = -1
  const tell = (what: string): void => findings.add(position, `the event ${what}`)

  const judge = (record: StoredRecord): number | null | undefined => {
    const leaf = leafHash(record.text)
    if (record.leaf !== undefined && !leaf.equals(record.leaf)) tell('is not the one that its hash was taken of')
    tree.add(leaf)
    checkpoints.look(tree)
    const found = read(record)
    if ('event' in found) {
      if (!found.isCanonical) tell('is not written in its canonical form')
      return rules.judge(found.event, position, tell)
    }
    findings.add(position, `the event cannot be read: ${found.why}`)
    if (found.stream !== undefined) rules.passOver(found.stream, found.revision, position)
    return undefined
  }

  checkpoints.look(tree)
  for await (const page of records) {
    for (const record of page) {
      position = placeOf(record.mark)
      const previous = judge(record)
      linkJudge?.expect(position, previous)
      if (tree.size() % EVERY === 0) onProgress?.(tree.size())
    }
    linkJudge?.endPage()
  }
  linkJudge?.judgeHeads(rules.streams())
  const place = checkpoints.place()
  return {
    events: tree.size(),
    root: Buffer.from(tree.root()).toString('base64'),
    found: findings.count(),
    findings: findings.kept(),
    against: checkpoints.compared(),
    ...(place && { place }),
  }
}
