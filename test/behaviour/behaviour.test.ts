import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

/** A sentence of what Berth does, and the tests that show it: a list item of a page, with links to test files. */
type Sentence = Readonly<{ text: string; tests: readonly Readonly<{ title: string; file: string }>[] }>

const LINK = /\[([^\]]+)\]\(([^)]+\.ts)\)/g

/** The sentences of a Markdown page: its list items, each with whatever links to `.ts` files it has. */
const readSentences = (page: string): readonly Sentence[] =>
  page
    .split(/^- /m)
    .slice(1)
    .map(
      (item) =>
        item
          .split(/\n\s*\n|^#/m)[0]
          ?.replace(/\s+/g, ' ')
          .trim() ?? '',
    )
    .map((item) => ({
      text: item.replace(LINK, '').trim().replace(/\s+/g, ' '),
      tests: [...item.matchAll(LINK)].map(([, title = '', file = '']) => ({ title, file })),
    }))

/**
 * What is wrong with the links: a title counts as there when the file has it word by word, so that of generated
 * titles a page names the part that stands in the source.
 */
const unshown = (sentences: readonly Sentence[], read: (file: string) => string): readonly string[] =>
  sentences.flatMap(({ text, tests }) => {
    if (tests.length === 0) return [`${text}: no test`]
    return tests.flatMap(({ title, file }) => {
      const source = readOr(file, read)
      if (source === undefined) return [`${text}: there is no ${file}`]
      return source.includes(title) ? [] : [`${text}: ${file} has no test "${title}"`]
    })
  })

const readOr = (file: string, read: (file: string) => string): string | undefined => {
  try {
    return read(file)
  } catch {
    return undefined
  }
}

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
