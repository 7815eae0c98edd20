import test from 'ava'
import { aUser } from '../../users/builders.ts'
import { passwordOf } from '../client.ts'
import { people } from '../harness.ts'
import { lab, said } from '../lab.ts'
import { aReservation, reserve } from '../requests.ts'

const NO_ID = '58c38f5d444553252cce0000'
/** Without slashes, which would make another path. */
const UNHEARD_OF = ['a', '7', 'Zoë  von & zu', '%2F', '__proto__', 'x'.repeat(128), '\u{1f5a5}'.repeat(64)]
const MALFORMED = ['a/b', '/', 'x'.repeat(129), 'a\nb', '\u0000', '\u007f', '\u0085', 'a\u200bb', '\u2028']

test('an unknown id in a body is 404, a malformed one 422, with the pointer', async (t) => {
  const { book } = await lab(t)
  for (const id of [NO_ID, ...UNHEARD_OF]) {
    t.is(said(await book('admin', {}, { sut_id: id })), '404 sut_not_found #/sut_id', id)
    t.is(said(await book('admin', {}, { user_id: id })), '404 user_not_found #/user_id', id)
  }
  for (const id of [...MALFORMED, '', '\ud83d', 7, null, true, [NO_ID], { _id: NO_ID }]) {
    for (const field of ['sut_id', 'user_id'])
      t.is(said(await book('admin', {}, { [field]: id })), `422 invalid #/${field}`, JSON.stringify(id))
  }
})

const ADDRESSES = [
  ['GET', 'sut', ''],
  ['GET', 'sut', '/availability?from=2030-05-02T06:00:00Z&to=2030-05-02T07:00:00Z'],
  ['POST', 'sut', '/update', {}],
  ['POST', 'sut', '/tags', {}],
  ['POST', 'sut', '/retire'],
  ['GET', 'sut_reservation', ''],
  ['POST', 'sut_reservation', '/cancel'],
  ['POST', 'sut_reservation', '/extend', { duration: 7200 }],
  ['POST', 'sut_reservation', '/shorten', { end_time: '2030-05-02T06:15:00Z' }],
] as const

test('an unknown or malformed id in a path is 404', async (t) => {
  const { ask } = await lab(t)
  for (const [method, kind, after, body] of ADDRESSES) {
    const code = kind === 'sut' ? 'sut_not_found' : 'reservation_not_found'
    for (const id of [NO_ID, ...UNHEARD_OF, ...MALFORMED]) {
      const refused = await ask('admin', `${method} /api/${kind}/${encodeURIComponent(id)}${after}`, body)
      // A path with a control character is malformed.
      const expected = /\p{Cc}/u.test(id) ? '400 malformed_request' : `404 ${code}`
      t.is(said(refused), expected, `${method} ${kind} ${id} ${after}`)
    }
  }
})

test('ids are opaque: a user with an id of any form can reserve with it', async (t) => {
  const zoe = await aUser('zoe', passwordOf('zoe'), { role: 'tester', _id: 'Zoë von & zu' })
  const { as, sut } = await lab(t, { firstUsers: [...(await people()), zoe] })
  const made = await reserve(as('zoe'), aReservation(sut, { user_id: zoe._id }))
  t.is(made.json.user_id, zoe._id)
  t.is((await as('zoe').get(String(made.headers.location))).text, made.text)
})
