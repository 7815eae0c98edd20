import { readFile, writeFile } from 'node:fs/promises'
import { withEventsTable } from '../../guide/events-table.ts'
import { tidyingLater } from '../harness.ts'
import { tellExamples, written } from './example-story.ts'

/**
 * Regenerates the examples of the documents, and the guide's table of events:
 * `node test/http/documents/write-examples.ts && npm run format`.
 */

const later = tidyingLater()
const file = new URL('../../../src/http/documents/openapi/examples.json', import.meta.url)
await writeFile(file, written(await tellExamples(later)))
await later.tidy()
const chapter = new URL('../../../src/guide/feed.md', import.meta.url)
await writeFile(chapter, withEventsTable(await readFile(chapter, 'utf8')))
