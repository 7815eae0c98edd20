import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { readSentences, unshown } from './sentences.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))

for (const page of globSync('*.md', { cwd: HERE }).sort()) {
  test(`every sentence of ${page} names tests that are there`, (t) => {
    const sentences = readSentences(readFileSync(join(HERE, page), 'utf8'))
    t.true(sentences.length > 0, 'the page has sentences')
    t.deepEqual(
      unshown(sentences, (file) => readFileSync(join(HERE, dirname(page), file), 'utf8')),
      [],
    )
  })
}

test('a sentence without a test, with a test that is gone, or of a file that is gone is found out', (t) => {
  const page = [
    '- Edges may be shared. [edges](a.ts)',
    '- Overlaps are refused',
    '  whoever holds them.',
    '- It is never late. [late](a.ts)',
    '- It is never early. [early](b.ts)',
  ].join('\n')
  const read = (file: string): string => {
    if (file === 'a.ts') return "test('edges', () => {})"
    throw new Error('ENOENT')
  }
  t.deepEqual(unshown(readSentences(page), read), [
    'Overlaps are refused whoever holds them.: no test',
    'It is never late.: a.ts has no test "late"',
    'It is never early.: there is no b.ts',
  ])
})

test('every bound of the table in the guide names a test that reaches it', (t) => {
  const chapter = readFileSync(join(HERE, '../../src/guide/architecture.md'), 'utf8')
  const [, section = ''] = chapter.split('\n## What the process holds, and its bounds\n')
  const [table = ''] = section.split('\n## ')
  const rows = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, what]) => what).slice(1)
  t.true(rows.length > 40)
  t.deepEqual(
    readSentences(readFileSync(join(HERE, 'bounds.md'), 'utf8')).map(({ text }) => text),
    rows,
  )
})
