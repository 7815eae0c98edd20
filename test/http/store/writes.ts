import type { ExecutionContext } from 'ava'
import { idOf } from '../harness.ts'
import { type Asked, asks, during, type Lab } from '../lab.ts'
import { aSut } from '../requests.ts'

/** A lab where Alice has a reservation, and a write of each kind. */
export const withWrites = async (service: Lab) => {
  const made = await service.book('alice')
  const { location = '' } = made.headers
  const reservation = { sut_id: service.sut, user_id: idOf('admin'), ...during('07:00-08:00') }
  const writes: readonly (readonly [who: string, request: string, body?: object])[] = [
    ['admin', 'POST /api/sut/create', aSut()],
    ['admin', `POST /api/sut/${service.sut}/update`, { os: 'linux' }],
    ['admin', `POST /api/sut/${service.sut}/tags`, { a: '1' }],
    ['admin', 'POST /api/sut_reservation/create', reservation],
    ['alice', `POST ${location}/extend`, { duration: 1800 }],
    ['alice', `POST ${location}/cancel`],
  ]
  return {
    ...service,
    made,
    location,
    /** Every write is refused so, nothing is recorded, and reads work. */
    refusesWrites: async (t: ExecutionContext, refusal: string): Promise<void> => {
      const before = await service.recorded()
      await asks(
        t,
        service,
        writes.map(([who, request, body]): Asked => [who, request, refusal, body]),
      )
      t.deepEqual(await service.recorded(), before)
      t.is((await service.ask('alice', `GET ${location}`)).text, made.text)
    },
    /** Every write succeeds. Returns the answers. */
    writeAll: async (t: ExecutionContext) => {
      const answers = []
      for (const [who, request, body] of writes) answers.push(await service.ask(who, request, body))
      for (const { status, text } of answers) t.true(status < 300, text)
      return answers
    },
  }
}
