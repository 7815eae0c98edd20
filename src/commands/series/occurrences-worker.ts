import { answerCalls } from '../../concurrency/answer-calls.ts'
import { findOccurrences } from '../../domain/series/occurrences.ts'
import type { OccurrencesThread } from './occurrences.ts'

/** The thread of occurrences.ts. */

answerCalls({ find: findOccurrences } satisfies OccurrencesThread)
