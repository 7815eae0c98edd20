import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import test from 'ava'
import { sectionsOf } from '../../src/http/documents/guide/markdown.ts'
import { codes } from '../../src/http/protocol/problem.ts'
import { ROOT } from '../process/harness.ts'
import { chapters, type Document, documents } from './documents.ts'

/** Pages of a running service that documents link to. */
const PAGES = [
  ...['/docs', '/guide', '/openapi.json', '/asyncapi.json', '/schemas/'],
  ...Object.keys(codes).map((code) => `/problems/${code}`),
]

const anchorsOf = ({ text }: Document): readonly string[] => sectionsOf(text).map(({ id }) => id)

const linksOf = ({ prose }: Document): readonly string[] =>
  [...prose.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)

/** The broken links of a document, as `path: target`. */
const broken = (document: Document): readonly string[] =>
  linksOf(document)
    .filter((target) => {
      if (target.startsWith('https://')) return false
      if (target.startsWith('/')) return !PAGES.includes(target)
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? document.path : normalize(join(dirname(document.path), file))
      if (!existsSync(join(ROOT, path))) return true
      const page = documents.find((other) => other.path === path)
      return anchor !== undefined && (page === undefined || !anchorsOf(page).includes(anchor))
    })
    .map((target) => `${document.path}: ${target}`)

test('every link in README and guide leads to a file, heading, service page or problem page', (t) => {
  t.true(documents.flatMap(linksOf).length > 100, 'there are links to check')
  t.deepEqual(documents.flatMap(broken), [])
})

test('the index of the guide links to every chapter', (t) => {
  const [index] = chapters.filter(({ path }) => path.endsWith('/README.md')) as [Document]
  const names = chapters.filter((each) => each !== index).map(({ path }) => path.split('/').at(-1) as string)
  t.deepEqual(
    names.filter((name) => !linksOf(index).includes(name)),
    [],
  )
})

test('chapters link to each other, to other sites, to the service and to their pictures, not to source files', (t) => {
  const elsewhere = chapters.flatMap((chapter) =>
    linksOf(chapter).filter((target) => !/^(?:https:\/\/|\/|#|pictures\/|[a-z-]+\.md(?:#|$)|README\.md)/.test(target)),
  )
  t.deepEqual(elsewhere, [])
})

test('no two headings of a chapter have the same anchor', (t) => {
  for (const document of documents) {
    const anchors = anchorsOf(document)
    t.deepEqual(
      anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index),
      [],
      document.path,
    )
  }
})

const wordsOf = (text: string): number => text.split(/\s+/).length

test('README and chapters stay within their length limits', (t) => {
  for (const { path, text, prose } of documents) {
    const isReadme = path === 'README.md'
    t.true(text.split('\n').length <= (isReadme ? 200 : 400), `${path} has too many lines`)
    t.true(!isReadme || Buffer.byteLength(text) <= 12 * 1024, `${path} has too many bytes`)
    t.true(!path.includes('/start-') || wordsOf(text) <= 600, `${path} has too many words`)
    const long = prose.split('\n').filter((line) => line.length > 120 && !line.startsWith('|'))
    t.deepEqual(long, [], path)
  }
  t.true(chapters.map(({ text }) => wordsOf(text)).reduce((sum, words) => sum + words) <= 42_000)
})
