import { randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { aUser } from '../../users/builders.ts'
import { basic, passwordOf } from '../client.ts'
import { start } from '../harness.ts'
import { createSut, reserve } from '../requests.ts'

/** The examples in the documentation of the product that introduced these operations. */

const USER = '590780914445534540190000'
const SUT = '58c38f5d444553252cce0000'
/** An id begins with the second of its creation. The rest is random. */
const [SUT_SECOND, SUT_RANDOM] = [SUT.slice(0, 8), SUT.slice(8)]
const SUT_CREATED = new Date(Number.parseInt(SUT_SECOND, 16) * 1000).toISOString()

/** A new service with the SUT and the user of the examples, and the clock set to `now`. */
const stage = async (t: ExecutionContext, now: string) => {
  const alice = await aUser('alice', passwordOf('alice'), { role: 'administrator', _id: USER })
  const randomHex = (bytes: number): string =>
    bytes === SUT_RANDOM.length / 2 ? SUT_RANDOM : randomBytes(bytes).toString('hex')
  const service = await start(t, { firstUsers: [alice], now: SUT_CREATED, randomHex })
  const user = service.as('alice')
  t.is(await createSut(user, { name: 'old name', sut_type: 'rdp', is_active: true }), SUT)
  service.clock.set(now)
  return { service, user }
}

/** What is asked for at a time, and what is reserved under an id that begins with that second. */
const reserved = async (t: ExecutionContext, now: string, asked: object, window: object, second: string) => {
  const { user } = await stage(t, now)
  const answer = await reserve(user, { user_id: USER, sut_id: SUT, ...asked })
  t.is(answer.status, 201)
  t.like(answer.json, { ...window, user_id: USER, sut_id: SUT, created_at: now, updated_at: now })
  t.regex(String(answer.json._id), new RegExp(`^${second}[0-9a-f]{16}$`))
}

test('06:00:00 to 06:14:59 is reserved as 06:00 to 06:15', async (t) => {
  const start_time = '2017-05-02T06:00:00+00:00'
  const [asked, end_time] = [{ start_time, end_time: '2017-05-02T06:14:59+00:00' }, '2017-05-02T06:15:00+00:00']
  await reserved(t, '2017-05-02T05:58:11.400Z', asked, { start_time, end_time }, '59081ff3')
})

for (const [now, duration, start_time, end_time, second] of [
  ['2017-05-02T06:02:51.400Z', 600, '2017-05-02T06:00:00+00:00', '2017-05-02T06:15:00+00:00', '5908210b'],
  ['2017-05-02T05:52:17.861Z', 462, '2017-05-02T05:45:00+00:00', '2017-05-02T06:00:00+00:00', '59081e91'],
] as const) {
  test(`${duration} seconds from ${now} on are reserved as ${start_time} to ${end_time}`, async (t) => {
    await reserved(t, now, { start_in: 0, duration }, { start_time, end_time }, second)
  })
}

test('the documented update returns its values, empty tags and disabled monitoring', async (t) => {
  const { service, user } = await stage(t, '2019-04-03T18:54:29.433Z')
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
