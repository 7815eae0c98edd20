import { globSync } from 'node:fs'
import test from 'ava'
import { renderMarkdown } from '../../../src/http/documents/guide/markdown.ts'
import { find, type Section } from '../../../src/web/documents/search.ts'
import { ROOT } from '../../process/harness.ts'
import type { Answer } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import './fit-answers.ts'

/** `/guide`: the chapters of src/guide, rendered by the service. */

const later = tidyingLater()
let service: Running

test.before(async () => {
  service = await start(later)
})
test.after.always(later.tidy)

const CHAPTERS = globSync('*.md', { cwd: `${ROOT}/src/guide` })
  .filter((file) => file !== 'README.md')
  .map((file) => `/guide/${file.slice(0, -3)}`)
const PAGES = ['/guide', ...CHAPTERS]

/** A request like that of a browser for a page. */
const browse = (path: string): Promise<Answer> =>
  service.as('alice').get(path, { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' })

const targetsOf = (html: string): readonly string[] =>
  [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)]
    .map(([, target = '']) => target)
    .filter((target) => target !== 'data:,')

const idsOf = (html: string): readonly string[] => [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)

const policyOf = ({ headers }: Answer): readonly string[] => String(headers['content-security-policy']).split('; ')

test('every role can read every chapter as a page', async (t) => {
  t.true(CHAPTERS.length > 15)
  for (const name of ['admin', 'alice', 'audrey']) {
    for (const path of PAGES) {
      const { status, headers, text } = await service.as(name).get(path)
      t.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], path)
      t.regex(text, /<h1 id="[^"]+">/, path)
    }
  }
})

test('the guide needs no credentials', async (t) => {
  for (const path of [...PAGES, '/guide/search.json', '/guide/tour.svg'])
    t.is((await service.anyone.get(path)).status, 200, path)
})

test('every link, picture and style sheet of the guide and problem pages resolves', async (t) => {
  const pages = new Map<string, string>()
  for (const path of [...PAGES, '/problems/stale']) pages.set(path, (await browse(path)).text)
  const targets = [...pages].flatMap(([path, html]) => targetsOf(html).map((target) => ({ path, target })))
  t.true(targets.length > 400)
  const statuses = new Map<string, number>()
  for (const { path, target } of targets) {
    const { origin, pathname, hash } = new URL(target, `${service.url}${path}`)
    t.is(origin, service.url, `${path}: ${target}`)
    if (!statuses.has(pathname)) statuses.set(pathname, (await service.as('alice').get(pathname)).status)
    t.is(statuses.get(pathname), 200, `${path}: ${target}`)
    const page = pages.get(pathname)
    if (hash !== '' && page !== undefined) {
      t.true(idsOf(page).includes(decodeURIComponent(hash.slice(1))), `${path}: ${target}`)
    }
  }
})

test('every page lists all chapters and marks its own', async (t) => {
  for (const path of PAGES) {
    const [, navigation = ''] = /<nav[^>]*>([\s\S]*?)<\/nav>/.exec((await browse(path)).text) ?? []
    t.deepEqual(targetsOf(navigation).toSorted(), [...PAGES, '/docs'].toSorted())
    t.is(/href="([^"]+)" aria-current="page"/.exec(navigation)?.[1], path)
  }
})

test('a chapter has the ones before and after it, a list of its headings, and the version', async (t) => {
  const { text } = await browse('/guide/reservations')
  t.regex(text, /<a class="btn" rel="prev" href="\/guide\/page">/)
  t.regex(text, /<a class="btn" rel="next" href="\/guide\/any-machine">/)
  t.regex(text, /<nav class="contents"[\s\S]*href="#extend"/)
  t.regex(text, /Berth \d+\.\d+\.\d+/)
  t.notRegex((await browse('/problems/stale')).text, /class="contents"/)
})

test('every section of the guide can be found by its words', async (t) => {
  const { sections } = (await service.anyone.get('/guide/search.json')).json as { sections: readonly Section[] }
  t.deepEqual(new Set(sections.map(({ address }) => address.split('#')[0])), new Set(PAGES))
  t.is(find(sections, 'Cancel and release')[0]?.address, '/guide/reservations#cancel-and-release')
  const inText = find(sections, 'EXTENDABLE_until').map(({ chapter }) => chapter)
  t.true(inText.includes('Reservations'), 'words of a text, in any case')
  t.deepEqual(find(sections, 'extend zebra'), [], 'every word counts')
  t.deepEqual(find(sections, '  '), [])
  t.is(find(sections, 'a').length, 12)
})

test('a cell of a table has the name of its column, for phones', (t) => {
  t.regex(
    renderMarkdown('| a & b | c |\n|---|---|\n| 1 | `2` |'),
    /<td data-column="a &amp; b">1<\/td><td data-column="c"><code>2/,
  )
})

test('an unknown chapter is 404, and no path leads out of the guide', async (t) => {
  const paths = [
    '/guide/none',
    '/guide/README',
    '/guide/README.md',
    '/guide/reservations.md',
    '/guide/Reservations',
    '/guide/reservations/',
    '/guide/constructor',
    '/guide/__proto__',
    '/guide/..',
    '/guide/..%2f',
    '/guide/..%2fmain.ts',
    '/guide/%2e%2e%2fguide%2ferrors',
    '/guide/..%5cREADME',
    '/guide/%ff',
    '/guide/../package.json',
    '/guide//errors',
    '/guide/tour',
  ]
  for (const path of paths) {
    const answer = await browse(path)
    t.deepEqual(refusalOf(answer), [404, 'not_found'], path)
    t.deepEqual(faultsOf(answer), [], path)
  }
})

test('a chapter has an ETag, and a client that has it gets 304', async (t) => {
  for (const path of ['/guide', '/guide/errors', '/guide/search.json', '/guide/tour.svg']) {
    const { headers } = await browse(path)
    t.is(headers['cache-control'], 'no-cache')
    t.is(headers['x-content-type-options'], 'nosniff')
    const again = await service.as('alice').get(path, { 'If-None-Match': String(headers.etag) })
    t.deepEqual([again.status, again.text], [304, ''], path)
    const head = await service.as('alice').request('HEAD', path)
    t.deepEqual([head.status, head.text, head.headers.etag], [200, '', headers.etag], path)
  }
})

test('the Content Security Policy of a page allows what is of this origin, and nothing inline', async (t) => {
  t.deepEqual(policyOf(await browse('/guide/errors')), [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
  for (const path of PAGES) {
    const { text } = await browse(path)
    t.notRegex(text, /<script(?![^>]* src=)|<style|<iframe|\sstyle=|\son\w+="|javascript:/i, path)
  }
  t.true(policyOf(await browse('/guide/tour.svg')).includes("default-src 'none'"))
})

test("headings get GitHub's ids, and links between files become links between pages", (t) => {
  t.is(
    renderMarkdown('## Guessing `passwords`, twice\n[a](errors.md#codes) [b](README.md) [c](#x) [d](/docs)'),
    '<h2 id="guessing-passwords-twice"><a href="#guessing-passwords-twice">Guessing <code>passwords</code>, twice</a></h2>\n' +
      '<p><a href="/guide/errors#codes">a</a> <a href="/guide">b</a> <a href="#x">c</a> <a href="/docs">d</a></p>\n',
  )
})

test('HTML in Markdown is escaped, and links to other hosts and schemes are removed', (t) => {
  const hostile = [
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b',
    '[x](javascript:alert(1))',
    '[x](//elsewhere.example/)',
    '[x](https://elsewhere.example/)',
    '[x](../../package.json)',
    '[x](/\\elsewhere.example)',
    '![x](https://elsewhere.example/x.svg)',
    '![" onerror="alert(1)](tour.svg)',
    '[x](/docs"onclick="alert(1))',
    '<https://elsewhere.example/>',
    '## <script> "x"',
    '```"><script>\nx\n```',
  ]
  for (const markdown of hostile) {
    const html = renderMarkdown(markdown)
    t.notRegex(html, /<script|<img src=x|(?:href|src)="(?!#|\/(?![/\\]))|"\s*on\w+=/i, `${markdown}: ${html}`)
  }
})
