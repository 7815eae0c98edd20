/** SUTs that are free in a whole span. */

import test, { type ExecutionContext } from 'ava'
import { asks, during, lab } from '../../lab.ts'
import { createSut } from '../../requests.ts'
import '../../documents/fit-answers.ts'

const spanOf = (window: string): string => {
  const { start_time, end_time } = during(window, 'Z')
  return `free_from=${start_time}&free_to=${end_time}`
}

/** A lab whose SUT is called a. */
const given = async (t: ExecutionContext) => {
  const service = await lab(t, {}, { name: 'a' })
  const names = async (window: string, more = ''): Promise<string> => {
    const { json, text, status } = await service.ask('alice', `GET /api/sut?${spanOf(window)}${more}`)
    if (status !== 200) throw new Error(text)
    const found = json.suts as readonly { readonly name: string }[]
    t.is(json.count, found.length)
    return found
      .map(({ name }) => name)
      .toSorted()
      .join(' ')
  }
  return { ...service, names }
}

test('SUTs are free in a span if they are active and no reservation overlaps it on the grid', async (t) => {
  const { as, ask, book, names } = await given(t)
  const [b, c, retired] = [
    await createSut(as('admin'), { name: 'b' }),
    await createSut(as('admin'), { name: 'c' }),
    await createSut(as('admin'), { name: 'retired' }),
  ]
  await createSut(as('admin'), { name: 'inactive', is_active: false })
  await ask('admin', `POST /api/sut/${retired}/retire`)
  await book('alice', '07:00-08:00')
  await book('alice', '08:00-09:00', { sut_id: b })
  const cancelled = await book('alice', '07:00-09:00', { sut_id: c })
  t.is(await names('07:30-08:30'), '')
  await ask('alice', `POST ${cancelled.headers.location}/cancel`)
  for (const [window, free, more] of [
    ['07:30-08:30', 'c'],
    ['07:59:59-08:00', 'b c'],
    ['08:00-08:00:01', 'a c'],
    ['06:00-07:00', 'a b c'],
    ['06:46-07:00:01', 'b', '&name=B'],
    ['06:46-07:00:01', '', '&is_active=false'],
  ] as const)
    t.is(await names(window, more), free, window)
})

test('what is past of a span does not count, and what was released is free again', async (t) => {
  const { ask, book, clock, names } = await given(t)
  const running = await book('alice', '05:45-06:15')
  t.is(await names('04:00-06:00'), '')
  await asks(t, { ask }, [
    ['alice', `POST ${running.headers.location}/cancel`, '200'],
    ['alice', `GET /api/sut?${spanOf('04:00-05:45')}`, '422 invalid free_to'],
  ])
  t.is(await names('04:00-06:00'), 'a')
  clock.set('2030-05-02T05:59:59.900Z')
  t.is(await names('05:59:59-06:00'), 'a')
})

test('half a span, one that ends before it begins, and other times beside it are refused', async (t) => {
  const { ask } = await given(t)
  const wrong = [
    ['free_from=2030-05-02T06:00:00Z', 'free_from'],
    ['free_to=2030-05-02T06:00:00Z', 'free_to'],
    ['free_from=x&free_to=2030-05-02T06:00:00Z', 'free_from'],
    [spanOf('07:00-07:00'), 'free_to'],
    [`${spanOf('06:00-07:00')}&as_of=0&retired=true`, 'retired as_of'],
  ]
  await asks(
    t,
    { ask },
    wrong.map(([query, names]) => ['audrey', `GET /api/sut?${query}`, `422 invalid ${names}`]),
  )
})
