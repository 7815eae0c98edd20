import type { Correction } from '../../clock-correction/judge.ts'
import { BEFORE_FIRST, type PublicPosition } from '../../domain/values/position.ts'
import { makeRules } from '../rules/rules.ts'
import { type Finding, type Findings, makeFindings } from './findings.ts'
import { type LogLinks, makeLinkJudge } from './log-links.ts'
import { parseEvent } from './read.ts'

/** A raw event and its public position. */
export interface PositionedText {
  readonly position: PublicPosition
  readonly text: string
}

export interface Judged {
  readonly found: number
  readonly findings: readonly Finding[]
  /** Corrections to verify in a second pass. */
  readonly corrections: readonly Correction[]
}

/** Decodes events page by page and checks them against the rules. May run in another thread. */
export interface Judge {
  /** Returns a promise if the caller must wait. */
  readonly take: (page: readonly PositionedText[]) => Promise<void> | undefined
  readonly end: () => Promise<Judged>
}

/** @param links links of an embedded log */
export const makeJudge = (links: LogLinks | undefined, findings: Findings = makeFindings()): Judge => {
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
    take: (page) => {
      for (const positioned of page) {
        position = positioned.position
        const previous = judge(positioned.text)
        linkJudge?.expect(position, previous)
      }
      linkJudge?.endPage()
      return undefined
    },
    end: async () => {
      linkJudge?.judgeHeads(rules.streams())
      return { found: findings.count(), findings: findings.list(), corrections: rules.corrections() }
    },
  }
}
