import { readFile, writeFile } from 'node:fs/promises'
import { withMatrix } from './matrix.ts'

/** Regenerates the table of the guide: `node test/http/authentication/write-matrix.ts`. */

const file = new URL('../../../src/guide/http.md', import.meta.url)
await writeFile(file, withMatrix(await readFile(file, 'utf8')))
