import { answerCalls } from '../../../concurrency/answer-calls.ts'
import { buildWebFiles } from './build-web-files.ts'
import type { WebFilesThread } from './web-files.ts'

/** Builds the files of the page: see web-files.ts. */

answerCalls({ build: buildWebFiles } satisfies WebFilesThread)
