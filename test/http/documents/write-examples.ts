/**
 * Regenerates the examples of the documents, and the guide's tables of events and operations:
 * `node test/http/documents/write-examples.ts && npm run format`.
 */

import { readFile, writeFile } from 'node:fs/promises'
import { withEventsTable } from '../../guide/events-table.ts'
import { withOperations } from '../../guide/operations-tables.ts'
import { tidyingLater } from '../harness.ts'
import { tellExamples, written } from './example-story.ts'

const later = tidyingLater()
const file = new URL('../../../src/http/documents/openapi/examples.json', import.meta.url)
await writeFile(file, written(await tellExamples(later)))
await later.tidy()
for (const [name, withTables] of [
  ['feed.md', withEventsTable],
  ['http.md', withOperations],
] as const) {
  const chapter = new URL(`../../../src/guide/${name}`, import.meta.url)
  await writeFile(chapter, withTables(await readFile(chapter, 'utf8')))
}
