/** The style sheets of the page, each beside the code that it belongs to. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { buildPage } from '../../src/http/documents/web/build-page.ts'

const WEB = fileURLToPath(new URL('../../src/web/', import.meta.url))

const textOf = (pattern: string): string =>
  globSync(pattern, { cwd: WEB })
    .map((path) => readFileSync(join(WEB, path), 'utf8'))
    .join('\n')

test('the style sheets of all rooms are served as one, each once and in a layer', (t) => {
  const { digest, documents } = buildPage()
  t.false(String(documents.get(`/web/${digest}/page.css`)).includes('@import'))
  const imports = readFileSync(join(WEB, 'page.css'), 'utf8')
  const alone = ['page.css', 'documents/docs.css', 'documents/documents.css']
  const rooms = globSync('**/*.css', { cwd: WEB }).filter((path) => !alone.includes(path.replaceAll('\\', '/')))
  t.true(rooms.length > 20)
  for (const path of rooms) t.is(imports.split(`@import "./${path}" layer(`).length, 2, path)
  t.false(textOf('**/*.css').includes('!important'))
})

test('browsers get the source of the page only where that is asked for', (t) => {
  const mapped = (isDebug: boolean) =>
    [...buildPage(isDebug).documents.values()].filter((text) => String(text).includes('sourceMappingURL=data:')).length
  t.is(mapped(false), 0)
  t.true(mapped(true) > 5)
})

test('every custom property that a style reads is a token, or set by the code', (t) => {
  const [styles, code] = [textOf('**/*.css'), textOf('**/*.{ts,tsx}')]
  const namesIn = (text: string, pattern: RegExp): Set<string> =>
    new Set([...text.matchAll(pattern)].map(([, name]) => name as string))
  const known = namesIn(styles, /(--[\w-]+):/g).union(namesIn(code, /'(--[\w-]+)'/g))
  t.deepEqual([...namesIn(styles, /var\((--[\w-]+)/g).difference(known)], [])
})
