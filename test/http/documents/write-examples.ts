import { writeFile } from 'node:fs/promises'
import { tidyingLater } from '../harness.ts'
import { tellExamples, written } from './example-story.ts'

/** Regenerates the examples of the documents: `node test/http/documents/write-examples.ts && npm run format`. */

const later = tidyingLater()
const file = new URL('../../../src/http/documents/openapi/examples.json', import.meta.url)
await writeFile(file, written(await tellExamples(later)))
await later.tidy()
