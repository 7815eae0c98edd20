import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import test from 'ava'
import { start } from '../http/harness.ts'

test('the client is one file with an ETag, imports nothing but Node, and the guide shows its SHA-256', async (t) => {
  const { anyone } = await start(t)
  const { status, text, headers } = await anyone.get('/client/berth.mjs')
  t.is(status, 200)
  t.is(headers['content-type'], 'text/javascript; charset=utf-8')
  t.is((await anyone.get('/client/berth.mjs', { 'If-None-Match': String(headers.etag) })).status, 304)
  const imported = [...text.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, from]) => from)
  t.true(imported.length > 5)
  t.deepEqual(
    imported.filter((from) => !from?.startsWith('node:')),
    [],
  )
  t.notRegex(text, /^export |from "\./m)
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  t.true(text.includes(`CLIENT_VERSION = "${version}"`))
  const { text: page } = await anyone.get('/guide/pipelines')
  t.true(page.includes(hash('sha256', text)))
})
