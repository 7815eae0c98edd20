/** The thread of windows.ts. */

import { answerCalls } from '../../concurrency/answer-calls.ts'
import { findSeriesWindows } from '../../domain/series/windows.ts'
import type { SeriesWindowsThread } from './windows.ts'

answerCalls({ find: findSeriesWindows } satisfies SeriesWindowsThread)
