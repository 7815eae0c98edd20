import { randomInt } from 'node:crypto'
import test from 'ava'
import { isThorough, rounds } from '../../thorough.ts'
import { start } from '../harness.ts'
import { createSut, NOW } from '../requests.ts'
import { sendBadRequests } from './bad-requests.ts'

/** Codes that the requests must reach, to check the generator. */
const MET = [
  'bare 400',
  'bare 408',
  'bare 431',
  'malformed_request',
  'malformed_json',
  'unauthenticated',
  'forbidden',
  'not_found',
  'sut_not_found',
  'method_not_allowed',
  'not_acceptable',
  'body_too_large',
  'uri_too_long',
  'unsupported_media_type',
  'invalid',
  'field_unknown',
  'field_read_only',
]

test('thousands of generated bad requests are refused as documented', async (t) => {
  const seed = randomInt(2 ** 31)
  const service = await start(t, { now: NOW, timeouts: { headers: 300, request: 300, checkInterval: 50 } })
  // Creates an event, so that a Berth-After of 0 is reached.
  await createSut(service.as('admin'))
  const count = rounds(150, 3_000)
  const { codes, faults } = await sendBadRequests(service, count, seed)
  t.deepEqual(faults, [], `seed ${seed}`)
  const unmet = MET.filter((code) => codes[code] === undefined)
  if (isThorough) t.deepEqual(unmet, [], `seed ${seed}`)
  t.true((codes['2xx'] ?? 0) < count / 4, `seed ${seed}: most of them are bad`)
  t.is((await service.as('admin').get('/api/user/me')).status, 200)
  t.deepEqual(
    // One line is about proxy headers of an untrusted peer.
    service.log.filter(({ level, facts }) => level !== 'info' && !('peer' in facts)),
    [],
    `seed ${seed}`,
  )
})
