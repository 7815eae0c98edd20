/** The pages at `/guide`, `/docs` and `/problems`: what they show, link to and fetch, and what is not there. */

import { globSync } from 'node:fs'
import test from 'ava'
import { renderMarkdown } from '../../../src/http/documents/guide/markdown.ts'
import { codes } from '../../../src/http/protocol/problem.ts'
import { find, type Section } from '../../../src/web/documents/search.ts'
import { ROOT } from '../../process/harness.ts'
import type { Answer } from '../client.ts'
import { said } from '../lab.ts'
import { DOCUMENTED } from '../refusals/problems.ts'
import { sharedService } from '../shared.ts'

const service = sharedService()

const CHAPTERS = globSync('*.md', { cwd: `${ROOT}/src/guide` })
  .filter((file) => file !== 'README.md')
  .map((file) => `/guide/${file.slice(0, -3)}`)
const GUIDE = ['/guide', ...CHAPTERS]
const PAGES = [...GUIDE, '/docs', '/problems/stale']

/** A request like that of a browser for a page. */
const browse = (path: string, headers = {}): Promise<Answer> =>
  service.anyone.get(path, { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', ...headers })

const targetsOf = (html: string): readonly string[] =>
  [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)]
    .map(([, target = '']) => target)
    .filter((target) => target !== 'data:,')

const idsOf = (html: string): readonly string[] => [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)

const SCRIPT = 'text/javascript; charset=utf-8'
const MEDIA_TYPES: Readonly<Record<string, string>> = { js: SCRIPT, ts: SCRIPT, css: 'text/css; charset=utf-8' }

test('every link, script, picture and style sheet of every page is served here, without credentials', async (t) => {
  t.true(CHAPTERS.length > 15)
  const pages = new Map<string, string>()
  for (const path of PAGES) {
    const { status, headers, text } = await browse(path)
    t.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], path)
    pages.set(path, text)
  }
  const targets = [...pages].flatMap(([path, html]) =>
    targetsOf(html).map((target) => new URL(target, service.url + path)),
  )
  t.true(targets.length > 400)
  for (const { href, origin, pathname, hash } of targets) {
    t.is(origin, service.url, href)
    const page = pages.get(pathname)
    if (hash !== '' && page !== undefined) t.true(idsOf(page).includes(decodeURIComponent(hash.slice(1))), href)
  }
  for (const path of new Set(targets.map(({ pathname }) => pathname))) {
    const { status, headers } = await service.anyone.get(path)
    const mediaType = MEDIA_TYPES[path.split('.').at(-1) ?? ''] ?? headers['content-type']
    t.deepEqual([status, headers['content-type']], [200, mediaType], path)
    t.is(headers['x-content-type-options'], 'nosniff')
  }
})

test('every page of the guide lists all chapters and marks its own, with those beside it and its headings', async (t) => {
  for (const path of GUIDE) {
    const [, navigation = ''] = /<nav[^>]*>([\s\S]*?)<\/nav>/.exec((await browse(path)).text) ?? []
    t.deepEqual(targetsOf(navigation).toSorted(), [...GUIDE, '/docs'].toSorted())
    t.is(/href="([^"]+)" aria-current="page"/.exec(navigation)?.[1], path)
  }
  const { text } = await browse('/guide/reservations')
  t.regex(text, /<a class="btn" rel="prev" href="\/guide\/page">/)
  t.regex(text, /<a class="btn" rel="next" href="\/guide\/any-machine">/)
  t.regex(text, /<nav class="contents"[\s\S]*href="#extend"/)
  t.regex(text, /Berth \d+\.\d+\.\d+/)
})

test('every section of the guide can be found by its words', async (t) => {
  const { sections } = (await service.anyone.get('/guide/search.json')).json as { sections: readonly Section[] }
  t.deepEqual(new Set(sections.map(({ address }) => address.split('#')[0])), new Set(GUIDE))
  t.is(find(sections, 'Cancel and release')[0]?.address, '/guide/reservations#cancel-and-release')
  const inText = find(sections, 'EXTENDABLE_until').map(({ chapter }) => chapter)
  t.true(inText.includes('Reservations'), 'words of a text, in any case')
  t.deepEqual(find(sections, 'extend zebra'), [], 'every word counts')
  t.deepEqual(find(sections, '  '), [])
  t.is(find(sections, 'a').length, 12)
})

/** What there is not, also by paths that would lead out of a folder. */
const NOTHING = Object.entries({
  '/guide/': [
    ...['none', 'README', 'README.md', 'reservations.md', 'Reservations', 'reservations/', 'constructor', 'detour'],
    ...['__proto__', '..', '..%2f', '..%2fmain.ts', '%2e%2e%2fguide%2ferrors', '..%5cREADME', '%ff', '/errors'],
  ],
  '/docs/': [
    ...['package.json', 'index.html', 'swagger-initializer.js', 'swagger-ui-bundle.js.map', '../package.json'],
    ...['..%2fpackage.json', '%2e%2e/package.json', '%2e%2e%2fswagger-ui.css', '..\\package.json', '/swagger-ui.css'],
  ],
  '/problems/': ['none', 'constructor', '__proto__', 'INVALID', 'invalid%2F', '%ff', 'a'.repeat(500)],
  '/schemas/': ['SutCreated.0.json', 'SutCreated.3.json', 'SutRetired.1', 'constructor', '..%2Fpackage.json', '%2e%2e'],
  '/problems': [''],
}).flatMap(([folder, names]) => names.map((name) => folder + name))

test('what is not there is 404, and no path leads out of what is', async (t) => {
  for (const path of NOTHING) t.is(said(await service.as('alice').get(path)), '404 not_found', path)
})

test('a page or document has an ETag, and a client that has it gets 304', async (t) => {
  const documents = ['/guide/search.json', '/guide/pictures/tour.svg', '/openapi.json', '/asyncapi.json', '/schemas/']
  for (const path of [...documents, '/docs', '/docs/swagger-ui.css', '/guide', '/guide/errors']) {
    const { headers } = await service.anyone.get(path)
    t.is(headers['cache-control'], 'no-cache')
    const again = await service.anyone.get(path, { 'If-None-Match': String(headers.etag) })
    t.deepEqual([again.status, again.text], [304, ''], path)
    t.is((await service.anyone.get(path, { 'If-None-Match': '"x"' })).status, 200)
    const head = await service.anyone.request('HEAD', path)
    t.deepEqual([head.status, head.text, head.headers.etag], [200, '', headers.etag], path)
  }
})

test('the Content Security Policy of a page allows what is of this origin, and nothing inline', async (t) => {
  for (const path of PAGES) {
    const { headers, text } = await browse(path)
    t.is(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    t.notRegex(text, /<script(?![^>]* src=)|<style|<iframe|\sstyle=|\son\w+="|javascript:/i, path)
  }
  const { headers } = await browse('/guide/pictures/tour.svg')
  t.regex(String(headers['content-security-policy']), /default-src 'none'/)
})

test('/docs requests nothing external, neither a validator nor a URL from its address', async (t) => {
  const [, script = ''] = /<script type="module" src="([^"]+)"/.exec((await browse('/docs')).text) ?? []
  const { text } = await browse(script)
  t.regex(text, /validatorUrl:null/)
  t.regex(text, /queryConfigEnabled:!1/)
  t.regex(text, /url:`\$\{location\.origin\}\/openapi\.json`/)
  t.notRegex(text, /https?:/)
  const { text: style } = await browse('/docs/swagger-ui.css')
  const addresses = [...style.matchAll(/url\(\s*["']?([^"')]{0,5})/g)].map(([, address]) => address)
  t.deepEqual([...new Set(addresses)], ['data:'])
  t.notRegex(style, /@import/)
})

const titleOf = (page: string): string => /<h1>([^<]+)<\/h1>/.exec(page)?.[1] ?? ''

test('every error code is in the documented table, and its page shows its status, own title and remedy', async (t) => {
  const statuses = Object.entries(codes).map(([code, { status }]) => [code, status] as const)
  t.deepEqual(Object.fromEntries(statuses), DOCUMENTED)
  const titles = new Set<string>()
  for (const [code, status] of statuses) {
    const { text } = await browse(`/problems/${code}`)
    t.true(text.includes(`<code>${status}</code> <code>${code}</code>`), code)
    t.is(titleOf(text), codes[code as keyof typeof codes].title, 'as the refusal has it')
    t.regex(text.match(/<\/code><\/p>\n<p>(.+)<\/p>/)?.[1] ?? '', /.{15,}[^.]\.$/, code)
    titles.add(titleOf(text))
  }
  t.is(titles.size, statuses.length)
})

test('the type of an error resolves to its page, which any client that accepts HTML gets', async (t) => {
  const refused = await service.as('audrey').post('/api/sut/create', {})
  // Relative to the request's address, as in RFC 3986.
  const { pathname } = new URL(String(refused.json.type), `${service.url}/api/sut/x/update`)
  const accepted = ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', '*/*', 'text/*', 'application/json, text/html']
  for (const Accept of accepted) t.is(titleOf((await browse(pathname, { Accept })).text), String(refused.json.title))
  t.is(said(await browse(pathname, { Accept: 'application/json' })), '406 not_acceptable')
})

test('/guide/ and /docs/ are answered like /guide and /docs', async (t) => {
  for (const path of ['/guide', '/docs']) {
    t.is((await service.anyone.get(`${path}/`)).text, (await service.anyone.get(path)).text)
  }
})

const NAVIGATION = { 'Sec-Fetch-Mode': 'navigate' }

test('a navigation to an unknown address gets one constant 404 page, signed in or not', async (t) => {
  const paths = ['/nowhere', '/api/none?<b>=1', '/web/', '/guide/none', '/problems/none', '/schemas/none']
  const seen = new Set<string>()
  for (const headers of [NAVIGATION, { 'Upgrade-Insecure-Requests': '1' }]) {
    for (const client of [service.anyone, service.as('alice')]) {
      const posted = paths.filter((path) => !/^\/(guide|problems|schemas)/.test(path))
      const asked = [...paths.map((path) => ['GET', path] as const), ...posted.map((path) => ['POST', path] as const)]
      for (const [method, path] of asked) {
        const answer = await client.request(method, path, headers)
        t.is(answer.status, 404, path)
        seen.add([answer.headers['content-type'], answer.text].join('\n'))
      }
    }
  }
  t.is(seen.size, 1)
  t.regex([...seen].join(), /^text\/html; charset=utf-8\n<!doctype html>[\s\S]*href="\/"/)
})

test('no other request without credentials learns whether an address exists', async (t) => {
  for (const headers of [{}, { 'Sec-Fetch-Mode': 'cors' }, { 'Sec-Fetch-Mode': 'no-cors' }]) {
    for (const path of ['/nowhere', '/api/sut'])
      t.is(said(await service.anyone.get(path, headers)), '401 unauthenticated')
  }
  t.is(said(await service.anyone.get('/api/sut', NAVIGATION)), '401 unauthenticated')
  t.is(said(await service.as('alice').get('/nowhere', { 'Sec-Fetch-Mode': 'cors' })), '404 not_found')
})

test("headings get GitHub's ids, links between files become links between pages, cells the names of columns", (t) => {
  t.is(
    renderMarkdown('## Guessing `passwords`, twice\n[a](errors.md#codes) [b](README.md) [c](#x) [d](/docs)'),
    '<h2 id="guessing-passwords-twice"><a href="#guessing-passwords-twice">Guessing <code>passwords</code>, twice</a></h2>\n' +
      '<p><a href="/guide/errors#codes">a</a> <a href="/guide">b</a> <a href="#x">c</a> <a href="/docs">d</a></p>\n',
  )
  const cell = /<td data-column="a &amp; b">1<\/td><td data-column="c"><code>2/
  t.regex(renderMarkdown('| a & b | c |\n|---|---|\n| 1 | `2` |'), cell)
})

test('HTML in Markdown is escaped, and links to other hosts and schemes are removed', (t) => {
  const hostile = [
    ...['<script>alert(1)</script>', 'a <img src=x onerror=alert(1)> b', '[x](javascript:alert(1))'],
    ...['[x](//elsewhere.example/)', '[x](https://elsewhere.example/)', '[x](../../package.json)'],
    ...[
      '[x](/\\elsewhere.example)',
      '![x](https://elsewhere.example/x.svg)',
      '![" onerror="alert(1)](pictures/tour.svg)',
    ],
    ...['[x](/docs"onclick="alert(1))', '<https://elsewhere.example/>', '## <script> "x"', '```"><script>\nx\n```'],
  ]
  for (const markdown of hostile) {
    const html = renderMarkdown(markdown)
    t.notRegex(html, /<script|<img src=x|(?:href|src)="(?!#|\/(?![/\\]))|"\s*on\w+=/i, `${markdown}: ${html}`)
  }
})
