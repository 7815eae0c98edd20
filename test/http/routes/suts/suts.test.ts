import test from 'ava'
import { start } from '../../harness.ts'
import { lab } from '../../lab.ts'
import { aSut, createSut } from '../../requests.ts'

const EXTREMES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'the longest name, in characters of two code units': { name: '\u{1f5a5}'.repeat(256) },
  'the longest description, with line breaks and tabs': { description: `a\r\n\tb${'\u{1f5a5}'.repeat(4091)}` },
  'a name of one blank': { name: ' ' },
  'values that are special to other programs': { name: '__proto__', model: '<b>"\'; --', version: '\u2028' },
  'the lowest numbers': { port: 1, rdp_height: 1, rdp_width: 1 },
  'the highest numbers': { port: 65535, rdp_height: 16384, rdp_width: 16384 },
  'an IPv6 address': { address: '2001:db8::192.0.2.1', sut_type: 'rdp' },
  'a host name': { address: 'bench-4.lab.example', sut_type: 'tcp' },
  'the name of another': { name: 'bench 4' },
}

test('SUTs are stored as sent, created or updated, and are the same after a restart', async (t) => {
  const { as, ask, data, stop } = await lab(t)
  const texts: [path: string, text: string][] = []
  for (const [what, values] of Object.entries(EXTREMES)) {
    const { rdp_height: _height, rdp_width: _width, ...returned } = values
    const created = await ask('admin', 'POST /api/sut/create', aSut(values))
    const path = `/api/sut/${await createSut(as('admin'))}`
    const updated = await ask('admin', `POST ${path}/update`, values)
    t.deepEqual([created.status, updated.status], [201, 200], what)
    for (const { json } of [created, updated]) t.like(json, returned, what)
    texts.push([String(created.headers.location), created.text], [path, updated.text])
  }
  await stop()
  const again = await start(t, { data })
  for (const [path, text] of texts) t.is((await again.as('alice').get(path)).text, text)
})

test('write-only fields are never returned', async (t) => {
  const { ask } = await lab(t)
  const secrets = { password: 'hunter2 canary', user_name: 'root canary', rdp_height: 1050, rdp_width: 1680 }
  const created = await ask('admin', 'POST /api/sut/create', aSut(secrets))
  const path = String(created.headers.location)
  const updated = await ask('admin', `POST ${path}/update`, { ...secrets, os: 'linux' })
  for (const { json, text } of [created, await ask('admin', `GET ${path}`), updated]) {
    for (const field of Object.keys(secrets)) t.false(Object.hasOwn(json, field))
    // The random digits of an id may contain a number.
    t.notRegex(text.replaceAll(String(json._id), ''), /canary|1050|1680|credentials/)
  }
})
