/** What would be taken of several machines: arithmetic without a browser. */

import test from 'ava'
import { readAvailable, readLater } from '../../../src/web/features/reserve/available.ts'
import { insteadOf, refusalText } from '../../../src/web/features/reserve/refusals.ts'
import { parametersOf, wishOf } from '../../../src/web/features/reserve/wish.ts'
import { choicesOf, chose, chosenOf } from '../../../src/web/screens/book/choices.ts'
import type { Api } from '../../../src/web/service/api.ts'
import { time } from '../timeline/times.ts'

const HOUR = 3_600_000
const NOW = time('10:42')
const ALONE = { now: NOW, lost: undefined, mayWait: false, ahead: undefined }
type Free = readonly (readonly [name: string, from: string, to: string])[]

/** Answers each question about availability in turn, and keeps the questions. */
const answering = (...answers: readonly { readonly free: Free; readonly next?: string }[]) => {
  const asked: Record<string, string>[] = []
  const left = [...answers]
  const get: Api['get'] = async (path) => {
    const { from, to, ...others } = Object.fromEntries(new URL(path, 'http://a').searchParams) as Record<string, string>
    const clock = (at: string | undefined): string => new Date(at ?? '').toTimeString().slice(0, 5)
    asked.push({ ...others, from: clock(from), to: clock(to) })
    const { free = [], next = null } = left.shift() ?? {}
    const suts = free.map(([name, start, end]) => ({
      ...{ _id: `id of ${name}`, name },
      free: [{ start_time: new Date(time(start)).toISOString(), end_time: new Date(time(end)).toISOString() }],
    }))
    return { value: { limit: 100, next, suts } as never, etag: undefined, position: undefined }
  }
  return { api: { get }, asked }
}

const SOUGHT = { match: { os: ['Ubuntu'] }, userId: 'jo' }

test('what begins now is looked for on the quarters around it, of the length that is left', async (t) => {
  const { api, asked } = answering({
    free: [
      ['b-1', '10:30', '12:45'],
      ['b-2', '10:37', '12:45'],
      ['b-3', '10:42:01', '12:45'],
    ],
  })
  const found = await readAvailable(api, SOUGHT, { start: 'now', length: 2 * HOUR }, NOW)
  const query = { from: '10:30', to: '12:45', duration: '7380', limit: '100' }
  t.deepEqual(asked, [{ match: '{"os":["Ubuntu"]}', user_id: 'jo', ...query }])
  t.deepEqual(
    found.free.map(({ name }) => name),
    ['b-1', 'b-2', 'b-3'],
    'a machine that was given back in this quarter is one of them, also in this second',
  )
  const choices = choicesOf(found, { start: 'now', length: 2 * HOUR }, ALONE)
  t.like(choices[0], { key: 'id of b-1', hint: 'best match', offer: { from: NOW, to: time('12:45') } })
})

test('where none is free, the first time of that length is looked for, and the longest from the same start', async (t) => {
  const { api, asked } = answering(
    { free: [] },
    { free: [['b-2', '16:00', '20:00']] },
    {
      free: [
        ['b-3', '10:30', '11:15'],
        ['b-2', '10:30', '12:00'],
        ['b-1', '11:00', '12:45'],
      ],
    },
  )
  const wish = { start: 'now', length: 2 * HOUR } as const
  const found = await readAvailable(api, SOUGHT, wish, NOW)
  t.like(asked[1], { from: '10:45', duration: '7200', limit: '1' })
  t.like(asked[2], { from: '10:30', to: '12:45', duration: '900' })
  t.like(found.next, { name: 'b-2', from: time('16:00'), to: time('18:00') })
  t.like(found.shorter, { name: 'b-2', to: time('12:00') })
  const choices = choicesOf(found, wish, ALONE)
  t.deepEqual(
    choices.map((choice) => [choice.hint, choice.kind === 'take' && choice.asked]),
    [
      ['next free', { start: time('16:00'), length: 2 * HOUR }],
      ['1 h 18 m, shorter', { start: 'now', length: time('11:55') - NOW }],
    ],
  )
  const [wait] = choicesOf(found, wish, { ...ALONE, mayWait: true, ahead: 2 })
  t.like(wait, { kind: 'wait', hint: 'you would be 3rd' })
  const [later] = choicesOf(found, { ...wish, start: time('11:00') }, { ...ALONE, mayWait: true, ahead: 0 })
  t.is(later?.kind, 'take', 'who wants it later does not wait')
})

test('the first time of some machines is looked for on all pages, from the next quarter on, as long as asked for', async (t) => {
  const { api, asked } = answering(
    { free: [['b-1', '11:30', '13:30']], next: 'page 2' },
    {
      free: [
        ['b-2', '11:45', '20:00'],
        ['b-3', '12:00', '13:30'],
      ],
      next: 'page 3',
    },
  )
  const some = new Set(['id of b-3', 'id of b-2'])
  const later = await readLater(api, SOUGHT, { start: 'now', length: HOUR }, NOW, some)
  t.like(asked[0], { from: '10:45', duration: '3600', limit: '100', user_id: 'jo', after: undefined })
  t.like(asked[1], { from: '10:45', duration: '3600', after: 'page 2' })
  t.like(later, { name: 'b-2', from: time('11:45'), to: time('12:45') })
  t.is(asked.length, 2)
  const none = answering({ free: [['b-1', '11:30', '13:30']], next: 'page 2' }, { free: [] })
  t.is(await readLater(none.api, SOUGHT, { start: 'now', length: HOUR }, NOW, some), undefined)
})

test('what was named stays chosen while it is free, and is said to be gone when it is not', async (t) => {
  const found = async (...names: readonly string[]) =>
    readAvailable(
      answering({ free: names.map((name) => [name, '14:00', '15:00'] as const) }).api,
      SOUGHT,
      { start: time('14:00'), length: HOUR },
      NOW,
    )
  const wish = { start: time('14:00'), length: HOUR }
  const at = async (...names: readonly string[]) => choicesOf(await found(...names), wish, ALONE)
  const first = chosenOf(undefined, await at('a', 'b'))
  t.like(first, { name: 'a', before: undefined })
  t.like(chosenOf(first, await at('b', 'a')), { name: 'a', before: undefined })
  const second = chosenOf(first, await at('b', 'c'))
  t.like(second, { name: 'b', before: 'a' })
  t.like(chosenOf(second, await at('c')), { name: 'c', before: 'b' })
  t.like(chosenOf(second, []), { name: undefined, before: 'b' })
  const picked = chose((await at('a', 'b'))[1])
  t.like(picked, { name: 'b', before: undefined })
  t.deepEqual(
    choicesOf(await found('a', 'b'), wish, { ...ALONE, lost: 'id of a' }).map(({ key }) => key),
    ['id of b'],
    'one that was refused is not named again before it was read anew',
  )
})

test('a wish stands in the address, and what is not understood of that is as if it were missing', (t) => {
  const wish = { criteria: new Map([['os', ['Ubuntu']]]), start: time('14:15'), length: 2 * HOUR }
  t.deepEqual(wishOf(new Map(Object.entries(parametersOf(wish))), NOW), wish)
  const none = { criteria: new Map(), start: 'now', length: HOUR } as const
  t.deepEqual(parametersOf(none), {})
  for (const match of ['', '[', 'null', '7', '"os"', '{"os":7}'])
    t.deepEqual(
      wishOf(
        new Map([
          ['match', match],
          ['start', 'soon'],
          ['duration', '-1'],
        ]),
        NOW,
      ),
      none,
      match,
    )
  t.is(wishOf(new Map([['start', new Date(time('10:00')).toISOString()]]), NOW).start, 'now')
})

test('a refusal is said in words, with what can be had instead', (t) => {
  const window = { from: time('10:30'), to: time('12:30') }
  const problem = (code: string, more: object = {}) => ({ code, detail: 'As the service says.', ...more })
  t.is(refusalText(problem('no_sut_matches'), window), 'No machines match.')
  t.is(refusalText(problem('no_sut_free', { matching: 1 }), window), 'The one machine of this kind is not free then.')
  t.is(
    refusalText(problem('no_sut_free', { matching: 3 }), window),
    'None of the 3 machines of this kind is free then.',
  )
  t.is(refusalText(problem('other'), window), 'As the service says.')
  const used = { used: { hours: 39, reservations: 2 }, quota: { hours_per_week: 40, reservations_max: 100 } }
  t.is(
    refusalText(problem('quota_exceeded', { ...used, week: '2030-W18' }), window),
    'This would be 41 h of 40 h in the week of 29 April.',
  )
  const longest = { sut_id: 'a', start_time: '2030-05-02T10:00:00Z', end_time: '2030-05-02T11:00:00Z' }
  t.deepEqual(
    insteadOf(problem('no_sut_free', { longest, next_available: null }), (id) => `machine ${id}`),
    {
      longest: {
        sutId: 'a',
        name: 'machine a',
        from: Date.parse(longest.start_time),
        to: Date.parse(longest.end_time),
      },
      next: undefined,
    },
  )
})
