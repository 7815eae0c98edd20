import test from 'ava'
import type { Answer } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'

/** `/docs`: "from a well-kept package served by us, with a strict content security policy and no request to the outside". */

const later = tidyingLater()
let service: Running

test.before(async () => {
  service = await start(later)
})
test.after.always(later.tidy)

/** A request like that of a browser. */
const browse = (path: string, accept = '*/*'): Promise<Answer> => service.anyone.get(path, { Accept: accept })

/** The addresses that a browser fetches for a page. */
const fetchedBy = (html: string, base: string): readonly URL[] =>
  [...html.matchAll(/<(?:script|link|img|iframe|object|embed)\b[^>]*?\s(?:src|href|data)="([^"]*)"/g)]
    .map(([, address = '']) => new URL(address, base))
    .filter(({ protocol }) => protocol !== 'data:')

const policyOf = ({ headers }: Answer): ReadonlyMap<string, readonly string[]> =>
  new Map(
    String(headers['content-security-policy'])
      .split(';')
      .map((directive) => directive.trim().split(' '))
      .map(([name = '', ...sources]) => [name, sources]),
  )

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  ts: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

test('every script and style sheet of the page is served locally with its media type', async (t) => {
  const page = await browse('/docs', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
  t.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
  const fetched = fetchedBy(page.text, `${service.url}/docs`)
  t.true(fetched.length >= 4)
  for (const { origin, pathname } of fetched) {
    t.is(origin, service.url)
    const part = await browse(pathname, pathname.endsWith('.css') ? 'text/css,*/*;q=0.1' : '*/*')
    t.is(part.status, 200, pathname)
    t.is(part.headers['content-type'], MEDIA_TYPES[pathname.split('.').at(-1) ?? ''])
    t.is(part.headers['x-content-type-options'], 'nosniff')
    t.true(part.text.length > 10)
  }
})

test('the Content Security Policy of the page allows only its own origin', async (t) => {
  const policy = policyOf(await browse('/docs'))
  t.deepEqual(
    [...policy],
    [
      ['default-src', ["'none'"]],
      ['script-src', ["'self'"]],
      ['style-src', ["'self'"]],
      ['img-src', ["'self'", 'data:']],
      ['connect-src', ["'self'"]],
      ['base-uri', ["'none'"]],
      ['form-action', ["'none'"]],
      ['frame-ancestors', ["'none'"]],
    ],
  )
})

test('the page has no inline script or style, which its policy would block', async (t) => {
  const { text } = await browse('/docs')
  t.notRegex(text, /<style|\sstyle=|\son\w+=|javascript:/i)
  for (const [, content] of text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)) t.is(content, '')
})

test('the page requests nothing external, neither a validator nor a URL from its address', async (t) => {
  const [, script = ''] = /<script type="module" src="([^"]+)"/.exec((await browse('/docs')).text) ?? []
  const { text } = await browse(script)
  t.regex(text, /validatorUrl: null/)
  t.regex(text, /queryConfigEnabled: false/)
  t.regex(text, /url: `\$\{location\.origin\}\/openapi\.json`/)
  t.notRegex(text, /https?:/)
  const { text: style } = await browse('/docs/swagger-ui.css')
  const addresses = [...style.matchAll(/url\(\s*["']?([^"')]{0,5})/g)].map(([, address]) => address)
  t.true(addresses.length > 0)
  t.deepEqual([...new Set(addresses)], ['data:'])
  t.notRegex(style, /@import/)
})

test('no other file of the package is served, and no path leads out of it', async (t) => {
  const paths = [
    '/docs/package.json',
    '/docs/index.html',
    '/docs/swagger-initializer.js',
    '/docs/swagger-ui-bundle.js.map',
    '/docs/../package.json',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e/package.json',
    '/docs/%2e%2e%2fswagger-ui.css',
    '/docs/..\\package.json',
    '/docs//swagger-ui.css',
  ]
  for (const path of paths) t.deepEqual(refusalOf(await service.as('alice').get(path)), [404, 'not_found'], path)
})
