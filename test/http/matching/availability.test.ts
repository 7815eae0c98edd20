import '../documents/fit-answers.ts'
import test, { type ExecutionContext } from 'ava'
import { idOf } from '../harness.ts'
import { asks, during, lab } from '../lab.ts'
import { createSut } from '../requests.ts'

interface Page {
  readonly next: string | null
  readonly suts: readonly { readonly _id: string; readonly free: readonly object[]; readonly next: string | null }[]
}

const MORNING = 'from=2030-05-02T06:00:00Z&to=2030-05-02T12:00:00Z'
const matching = (criteria: object): string => `match=${encodeURIComponent(JSON.stringify(criteria))}`
/** By filters and by criteria. */
const WAYS = [MORNING, `${MORNING}&${matching({ os: 'windows' })}`]
const windowsOf = (...windows: readonly string[]): readonly object[] => windows.map((window) => during(window))

/** A lab whose own SUT is retired. */
const given = async (t: ExecutionContext) => {
  const service = await lab(t)
  const { as, ask, sut } = service
  await ask('admin', `POST /api/sut/${sut}/retire`)
  const page = async (who: string, query: string): Promise<Page> => {
    const { status, json, text } = await ask(who, `GET /api/availability?${query}`)
    if (status !== 200) throw new Error(text)
    return json as unknown as Page
  }
  return {
    ...service,
    page,
    idsIn: async (who: string, query: string) => (await page(who, query)).suts.map(({ _id }) => _id),
    create: (fields: Readonly<Record<string, unknown>> = {}) => createSut(as('admin'), { os: 'windows', ...fields }),
    book: (sut_id: string, window: string) => service.book('admin', window, { sut_id }),
    match: (who: string, window: string) => {
      const body = { match: { os: 'windows' }, ...during(window) }
      return ask(who, 'POST /api/sut_reservation/create', body)
    },
  }
}

test('SUTs with something free are found by the filters of their list, newest first', async (t) => {
  const { page, create, book } = await given(t)
  const tags = { rack: '4' }
  const one = await create({ name: 'one', tags })
  const two = await create({ name: 'two', tags })
  const full = await create({ name: 'full', tags })
  await create({ name: 'inactive', tags, is_active: false })
  await create({ name: 'other' })
  await book(full, '06:00-12:00')
  await book(two, '07:00-11:45')
  t.deepEqual((await page('alice', `${MORNING}&tag.rack=4&duration=1800`)) as object, {
    limit: 20,
    next: null,
    suts: [
      { _id: two, name: 'two', free: windowsOf('06:00-07:00'), next: null, turnaround: [] },
      { _id: one, name: 'one', free: windowsOf('06:00-12:00'), next: null, turnaround: [] },
    ],
  })
  t.deepEqual((await page('admin', `${MORNING}&name=TW`)).suts[0]?.free, windowsOf('06:00-07:00', '11:45-12:00'))
  t.deepEqual((await page('admin', `${MORNING}&is_active=false`)).suts, [])
})

test('by criteria SUTs come in the order in which a create tries them, the earliest window first', async (t) => {
  const { idsIn, create, book, match } = await given(t)
  const [later, tight, used, fresh] = [await create(), await create(), await create({ os: 'Windows' }), await create()]
  await create({ os: 'linux' })
  await create({ is_active: false })
  await book(later, '06:00-07:00')
  await book(tight, '08:00-12:00')
  await book(used, '05:45-06:00')
  const query = `from=2030-05-02T06:00:00Z&duration=3600&${matching({ os: 'WINDOWS' })}`
  t.deepEqual(await idsIn('alice', query), [tight, used, fresh, later])
  t.is((await match('alice', '06:00-07:00')).json.sut_id, tight)
})

test('pages of either order have each SUT once, also beyond those without anything free', async (t) => {
  const { page, create, book } = await given(t)
  const ids: string[] = []
  for (let n = 0; n < 7; n++) ids.push(await create())
  await book(String(ids[3]), '06:00-12:00')
  await book(String(ids[5]), '07:00-12:00')
  for (const query of WAYS) {
    const seen: string[] = []
    for (let [after, pages] = ['', 0]; pages < 10; pages++) {
      const { suts, next } = await page('admin', `${query}&limit=2${after}`)
      seen.push(...suts.map(({ _id }) => _id))
      if (next === null) break
      after = `&after=${next}`
    }
    t.deepEqual(seen.toSorted(), ids.filter((id) => id !== ids[3]).toSorted())
  }
})

test('at most 100 free windows of a SUT are shown, with the start of the next', async (t) => {
  const { ask, page, create } = await given(t)
  const sut_id = await create()
  const hour = (n: number): string => new Date(Date.parse('2030-05-03T00:00:00Z') + n * 1_800_000).toISOString()
  for (let n = 0; n < 102; n++) {
    const body = { sut_id, start_time: hour(n), end_time: hour(n + 0.5) }
    await ask('admin', 'POST /api/sut_reservation/create', body)
  }
  const { suts } = await page('admin', 'from=2030-05-03T00:00:00Z&to=2030-05-06T00:00:00Z')
  t.deepEqual([suts[0]?.free.length, suts[0]?.next], [100, hour(100.5).replace('.000Z', '+00:00')])
})

test('a scope hides SUTs, and wrong parameters are refused', async (t) => {
  const { ask, page, idsIn, create } = await given(t)
  const inside = await create({ tags: { team: 'qa' } })
  await create({ tags: { team: 'dev' } })
  await ask('admin', `POST /api/user/${idOf('alice')}/update`, { scope: 'team=qa' })
  for (const query of WAYS) t.deepEqual(await idsIn('alice', query), [inside])
  const { next } = await page('admin', `${MORNING}&limit=1`)
  const wrong = [
    [`${matching({ os: 'x' })}&name=a&tag.rack=4`, 'name tag.rack'],
    [matching({}), 'match'],
    ['match=os', 'match'],
    ['limit=101', 'limit'],
    ['from=2030-05-02T06:00:00Z&to=2030-06-02T06:15:00Z', 'to'],
    ['after=zzz', 'after'],
    ['offset=1', 'offset'],
    [`after=${next}&${matching({ os: 'x' })}`, 'after'],
  ]
  await asks(
    t,
    { ask },
    wrong.map(([query, names]) => ['admin', `GET /api/availability?${query}`, `422 invalid ${names}`]),
  )
})

test('what only a turnaround keeps from being free is shown apart, and matching knows it', async (t) => {
  const { ask, page, create, book, match } = await given(t)
  const sut_id = await create({ turnaround: 1800 })
  await book(sut_id, '07:00-08:00')
  await book(sut_id, '09:15-10:00')
  for (const query of WAYS)
    t.like((await page('admin', query)).suts[0], {
      free: windowsOf('06:00-06:30', '08:30-08:45', '10:30-12:00'),
      turnaround: windowsOf('06:30-07:00', '08:00-08:30', '08:45-09:15', '10:00-10:30'),
    })
  t.like((await match('admin', '08:00-08:45')).json, {
    ...{ code: 'no_sut_free', longest: null, next_available: { sut_id, ...during('10:30-11:15') } },
  })
  t.deepEqual((await match('admin', '08:30-09:00')).json.longest, { sut_id, ...during('08:30-08:45') })
  t.is((await match('admin', '08:30-08:45')).status, 201)
  await ask('admin', `POST /api/sut/${sut_id}/update`, { turnaround: 0 })
  t.is((await match('admin', '08:45-09:15')).status, 201)
})

test('an administrator asks for another user, whose scope counts; others ask for themselves only', async (t) => {
  const { ask, idsIn, create } = await given(t)
  const inside = await create({ tags: { team: 'qa' } })
  const outside = await create({ tags: { team: 'dev' } })
  await ask('admin', `POST /api/user/${idOf('alice')}/update`, { scope: 'team=qa' })
  for (const wanted of WAYS) {
    for (const who of ['admin', 'alice']) t.deepEqual(await idsIn(who, `${wanted}&user_id=${idOf('alice')}`), [inside])
    const forBob = await idsIn('admin', `${wanted}&user_id=${idOf('bob')}`)
    t.deepEqual(forBob.toSorted(), [inside, outside].toSorted())
  }
  const about = (id: string): string => `GET /api/availability?${MORNING}&user_id=${id}`
  await asks(t, { ask }, [
    ['alice', about(idOf('bob')), '403 forbidden'],
    ['bob', about('nobody'), '403 forbidden'],
    ['audrey', about(idOf('alice')), '403 forbidden'],
    ['admin', about('nobody'), '404 user_not_found'],
    ['admin', `POST /api/user/${idOf('bob')}/remove`, '200', { reservations: 'keep' }],
    ['admin', about(idOf('bob')), '410 user_removed'],
  ])
})
