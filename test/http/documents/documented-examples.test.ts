import { randomBytes } from 'node:crypto'
import test from 'ava'
import { aUser } from '../../users/builders.ts'
import { basic, passwordOf } from '../client.ts'
import { start } from '../harness.ts'
import { createSut } from '../requests.ts'

/** The update in the documentation of the product that introduced it. Its windows are in routes/windows.test.ts. */

const SUT = '58c38f5d444553252cce0000'
/** An id begins with the second of its creation. The rest is random. */
const [SUT_SECOND, SUT_RANDOM] = [SUT.slice(0, 8), SUT.slice(8)]

test('the documented update returns its values, empty tags and disabled monitoring', async (t) => {
  const alice = await aUser('alice', passwordOf('alice'), { role: 'administrator', _id: '590780914445534540190000' })
  const randomHex = (bytes: number): string =>
    bytes === SUT_RANDOM.length / 2 ? SUT_RANDOM : randomBytes(bytes).toString('hex')
  const now = new Date(Number.parseInt(SUT_SECOND, 16) * 1000).toISOString()
  const service = await start(t, { firstUsers: [alice], now, randomHex })
  const user = service.as('alice')
  t.is(await createSut(user, { name: 'old name', sut_type: 'rdp', is_active: true }), SUT)
  service.clock.set('2019-04-03T18:54:29.433Z')
  const update = {
    ...{ name: 'new name', description: 'An old SUT', address: '192.168.9.5', port: 5902, sut_type: 'vnc' },
    ...{ is_active: true, manufacturer: 'acer', model: 'aspire', os: 'windows', version: 'xp' },
  }
  const expected = {
    _id: SUT,
    created_at: '2017-03-11T05:47:09.000+00:00',
    updated_at: '2019-04-03T18:54:29.433+00:00',
    ...update,
    monitoring: {
      status: 'SUT Monitoring Disabled',
      last_updated: '2017-03-11T05:47:09+00:00',
      status_description: 'SUT Monitoring is disabled',
    },
    tags: {},
  }
  const headers = { Accept: 'application/json', Authorization: basic('alice') }
  const answer = await service.anyone.post(`/api/sut/${SUT}/update`, update, headers)
  t.is(answer.status, 200)
  t.is(answer.text, JSON.stringify(expected))
  t.is((await user.get(`/api/sut/${SUT}`)).text, answer.text)
})
