import { readFileSync } from 'node:fs'
import test from 'ava'
import { withMatrix } from './matrix.ts'

test('the guide has a row for every route, with what the tests of roles show', (t) => {
  const guide = readFileSync(new URL('../../../src/guide/http.md', import.meta.url), 'utf8')
  t.is(withMatrix(guide), guide, 'run: npx node test/http/authentication/write-matrix.ts')
})
