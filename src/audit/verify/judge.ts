import type { Recorded } from '../../domain/event.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { BEFORE_FIRST, type PublicPosition, toStorePosition } from '../../domain/values/position.ts'
import { decodeParsed, UndecodableEvent } from '../../event-store/stored-event.ts'
import { makeRules } from '../rules/rules.ts'
import type { Findings } from './findings.ts'
import { type LogLinks, makeLinkJudge } from './log-links.ts'

/** A decoded event, or what is known of an unreadable one. */
type ParsedEvent =
  | { readonly event: Recorded; readonly isCanonical: boolean }
  | { readonly why: string; readonly stream: string | undefined; readonly revision: number }

/** Decodes a raw event. In verification events go by their public positions only. */
const parseEvent = (text: string, position: PublicPosition): ParsedEvent => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    return { why: (error as Error).message, stream: undefined, revision: -1 }
  }
  try {
    return { event: decodeParsed(parsed, toStorePosition(position)), isCanonical: canonicalJson(parsed) === text }
  } catch (error) {
    if (!(error instanceof UndecodableEvent)) throw error
    const { stream, revision } = parsed as { readonly stream?: unknown; readonly revision?: unknown }
    const isPlaced = typeof stream === 'string' && Number.isSafeInteger(revision)
    return {
      why: error.message,
      stream: isPlaced ? stream : undefined,
      revision: isPlaced ? (revision as number) : -1,
    }
  }
}

/** A raw event and its public position. */
export interface PositionedText {
  readonly position: PublicPosition
  readonly text: string
}

/**
 * Decodes events page by page and checks them against the rules.
 *
 * @param links links of an embedded log
 */
export const makeJudge = (links: LogLinks | undefined, findings: Findings) => {
  const rules = makeRules()
  const linkJudge = links && makeLinkJudge(links, findings)
  let position = BEFORE_FIRST
  const report = (what: string): void => findings.add(position, `the event ${what}`)

  const judge = (text: string): number | null | undefined => {
    const read = parseEvent(text, position)
    if ('event' in read) {
      if (!read.isCanonical) report('is not in canonical form')
      return rules.judge(read.event, position, report)
    }
    findings.add(position, `the event cannot be read: ${read.why}`)
    if (read.stream !== undefined) rules.skip(read.stream, read.revision, position)
    return undefined
  }

  return {
    take: (page: readonly PositionedText[]): void => {
      for (const positioned of page) {
        position = positioned.position
        const previous = judge(positioned.text)
        linkJudge?.expect(position, previous)
      }
      linkJudge?.endPage()
    },
    end: (): void => linkJudge?.judgeHeads(rules.streams()),
  }
}
