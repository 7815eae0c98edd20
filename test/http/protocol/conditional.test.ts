/** ETag, If-Match and If-None-Match as in RFC 9110, section 13. */

import test, { type ExecutionContext } from 'ava'
import { type Lab, lab, said } from '../lab.ts'

/** A lab whose SUT is at revision 2, with a reservation of Alice's at revision 1. */
const stage = async (t: ExecutionContext) => {
  const service = await lab(t)
  const { location: reservation = '' } = (await service.book('alice')).headers
  const path = `/api/sut/${service.sut}`
  const current = await service.ask('admin', `POST ${path}/update`, { os: 'linux' })
  t.is(current.headers.etag, '"2"')
  return { ...service, path, current, reservation }
}

const ifMatch = (tags: string) => ({ 'If-Match': tags })
const ifNoneMatch = (tags: string) => ({ 'If-None-Match': tags })

/** A write of each kind that evaluates If-Match. Each changes something once. */
const WRITES: Readonly<Record<string, (service: Lab, tags: string) => ReturnType<Lab['ask']>>> = {
  update: ({ ask, sut }, tags) => ask('admin', `POST /api/sut/${sut}/update`, { name: 'changed' }, ifMatch(tags)),
  tags: ({ ask, sut }, tags) => ask('admin', `POST /api/sut/${sut}/tags`, { a: '1' }, ifMatch(tags)),
  retire: ({ ask, sut, clock }, tags) => {
    clock.set('2030-05-02T07:00:00Z')
    return ask('admin', `POST /api/sut/${sut}/retire`, undefined, ifMatch(tags))
  },
}

/** The ETag, in lists with empty elements, others, weak ones and commas in tags, or any. */
const MATCHING = ['"2"', '"0", "abc","2" ,"7"', '*', ' * ', '  "2"  ', ', "2",,"7" ,', '"a,b", "2"', 'W/"1", "2"']
/** Old, future and weak ones, that of a reservation, and tags that Berth never sent. */
const OLD = ['"0"', '"1"', '"3"', '"0", "1", "3"', 'W/"2"', 'W/"2", W/"*"', '"abc", "2.0", "02", "", "*"']
const MALFORMED = ['2', '"2', '"2", 3', '*, "2"', "'2'", 'w/"2"', '"1" "2"', ',', '"2 "', `"2"${',"2"'.repeat(100)}`]

for (const [kind, write] of Object.entries(WRITES)) {
  test(`${kind} is refused if If-Match names another revision or is malformed`, async (t) => {
    const service = await stage(t)
    const recorded = await service.recorded()
    for (const tags of OLD) t.is(said(await write(service, tags)), '412 stale', tags)
    for (const tags of MALFORMED) t.is(said(await write(service, tags)), '422 invalid If-Match', tags)
    t.deepEqual(await service.recorded(), recorded)
    t.is((await service.as('admin').get(service.path)).text, service.current.text)
  })

  test(`${kind === 'update' ? '' : 'thorough: '}${kind} succeeds if If-Match names the current revision of the SUT`, async (t) => {
    for (const tags of MATCHING) {
      const { status, headers } = await write(await stage(t), tags)
      t.deepEqual([status, headers.etag], [200, '"3"'], tags)
    }
  })
}

test('one of two updates with the same ETag is stale, and succeeds with the new one', async (t) => {
  const { ask, path, current } = await stage(t)
  const update = (os: string, etag: unknown) => ask('admin', `POST ${path}/update`, { os }, ifMatch(String(etag)))
  const answers = await Promise.all(['one', 'other'].map((os) => update(os, current.headers.etag)))
  t.deepEqual(answers.map(said).sort(), ['200', '412 stale'])
  const winner = answers.find(({ status }) => status === 200)
  t.is((await ask('admin', `GET ${path}`)).text, winner?.text ?? 'no winner')
  t.is((await update('last', winner?.headers.etag)).json.os, 'last')
})

test('a repeated request gets its first answer, even if its If-Match is stale by then', async (t) => {
  const { ask, path } = await stage(t)
  const headers = { ...ifMatch('"2"'), 'Idempotency-Key': 'k' }
  const update = () => ask('admin', `POST ${path}/update`, { os: 'other' }, headers)
  const [first, again] = [await update(), await update()]
  t.deepEqual([first.status, again.status, again.headers.etag, again.text], [200, 200, '"3"', first.text])
})

test('If-Match on a read, a creation or a reservation is ignored', async (t) => {
  const { ask, path, reservation } = await stage(t)
  const old = ifMatch('"0"')
  t.is(said(await ask('admin', `GET ${path}`, undefined, old)), '200')
  t.is(said(await ask('alice', `POST ${reservation}/cancel`, undefined, old)), '200')
  const sut = { name: 'a', address: 'a', port: 1, sut_type: 'tcp' }
  t.is(said(await ask('admin', 'POST /api/sut/create', sut, old)), '201')
})

const KNOWN = ['"2"', 'W/"2"', '*', '"0", "2"', '"0",W/"2"', '"a,b",, "2"']
const NEW = ['"0"', '"1"', 'W/"1"', '"0", "3"', '2', '"2', '', '"*"', '"02"']

test('GET and HEAD with the current ETag in If-None-Match are 304 without a body', async (t) => {
  const { ask, path } = await stage(t)
  for (const method of ['GET', 'HEAD']) {
    for (const known of KNOWN) {
      const { status, text, headers } = await ask('alice', `${method} ${path}`, undefined, ifNoneMatch(known))
      t.deepEqual([status, text, headers.etag, headers['content-type']], [304, '', '"2"', undefined], known)
      t.regex(String(headers['berth-position']), /^\d{20}$/)
    }
  }
})

test('GET with another or malformed If-None-Match returns the SUT', async (t) => {
  const { ask, path, current, reservation } = await stage(t)
  for (const unknown of NEW) {
    const answer = await ask('alice', `GET ${path}`, undefined, ifNoneMatch(unknown))
    t.deepEqual([answer.status, answer.text], [200, current.text], unknown)
  }
  const unknown = await ask('alice', 'GET /api/sut/58c38f5d444553252cce0000', undefined, ifNoneMatch('*'))
  t.is(said(unknown), '404 sut_not_found')
  t.is(said(await ask('alice', `GET ${reservation}`, undefined, ifNoneMatch('*'))), '200')
})
