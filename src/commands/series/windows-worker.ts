import { answerCalls } from '../../concurrency/answer-calls.ts'
import { findSeriesWindows } from '../../domain/series/windows.ts'
import type { SeriesWindowsThread } from './windows.ts'

/** The thread of windows.ts. */

answerCalls({ find: findSeriesWindows } satisfies SeriesWindowsThread)
