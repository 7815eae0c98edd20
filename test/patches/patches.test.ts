import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { patches } from './patches.ts'

const ROOT = join(import.meta.dirname, '../..')
const count = (file: string, text: string): number => readFileSync(join(ROOT, file), 'utf8').split(text).length - 1

test('each fault that a test must notice changes one place of the source', (t) => {
  const misplaced = patches.filter(({ file, from, to }) => from === to || count(file, from) !== 1)
  t.deepEqual(
    misplaced.map(({ fault }) => fault),
    [],
  )
})
