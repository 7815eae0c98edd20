/** What those want who wait, and who is before whom: arithmetic without a browser. */

import test from 'ava'
import type { Change } from '../../../src/web/data/news.ts'
import type { SutRequest } from '../../../src/web/data/objects.ts'
import { aboutRequest } from '../../../src/web/features/queue/read.ts'
import {
  aheadOf,
  asPriority,
  ordinalOf,
  priorityText,
  ranked,
  sentenceHere,
  type Words,
  wordsOfMatch,
  wordsOfRequest,
} from '../../../src/web/features/queue/wants.ts'
import { sut } from '../machines/machines.ts'

const said = (words: Words): string =>
  words.map((each) => (typeof each === 'string' ? each : `<${each.name}>`)).join('')

const request = (part: Partial<SutRequest>): SutRequest => ({
  ...{ _id: 'r', created_at: '2030-05-02T08:00:00Z', user_id: 'jo', user_name: 'Jonas', duration: 7_200 },
  ...{ expires_at: '2030-05-02T18:00:00Z', priority: 0, keepalive: null, status: 'waiting' },
  ...{ updated_at: '2030-05-02T08:00:00Z', sut_reservation_id: null },
  ...part,
})

test('what somebody waits for is said in words, with what others have named apart', (t) => {
  const match = {
    os: ['Ubuntu', 'QNX'],
    version: '7.1',
    tags: { gpu: ['a100', 'l4'], broken: null },
    not: { tags: { rack: '3' } },
  }
  t.is(
    said(wordsOfMatch(match)),
    'any <Ubuntu> or <QNX>, version <7.1>, <gpu> <a100> or <l4>, no <broken>, not <rack> <3>',
  )
  t.is(said(wordsOfMatch({ sut_type: ['vnc', 'rdp', 'tcp'] })), 'any machine')
  t.is(said(wordsOfMatch({ not: { name: 'bench 1' } })), 'any not <bench 1>')
  t.is(said(wordsOfRequest(request({ sut_id: 'a' }), (id) => `machine ${id}`)), '<machine a>, 2\u00a0h')
})

test('of a list with the newest first, those of higher priority are first, then those who have waited longest', (t) => {
  const of = (_id: string, priority = 0) => request({ _id, priority })
  const list = [of('a', 5), of('d'), of('c'), of('b', 5), of('e', -1)]
  t.deepEqual(
    ranked(list).map(({ _id }) => _id),
    ['b', 'a', 'c', 'd', 'e'],
  )
})

test('who is passed over has no place in the queue and is before nobody', (t) => {
  const gone = request({ _id: 'gone', sut_id: 'a', keepalive: 30, passed_over: true })
  const alive = request({ _id: 'alive', sut_id: 'a', keepalive: 30 })
  const queue = ranked([alive, gone])
  t.deepEqual(queue, [alive])
  t.is(aheadOf([sut({ _id: 'a' })], queue, 0), 1)
})

test('only those are before one who want one of the same machines, and are not to wait for everybody', (t) => {
  const suts = [
    sut({ _id: 'a', os: 'Ubuntu', tags: { rack: '1' } }),
    sut({ _id: 'b', os: 'Ubuntu', tags: { rack: '2' } }),
  ]
  const waiting = [
    request({ match: { os: 'ubuntu' } }),
    request({ match: { os: 'ubuntu', not: { tags: { rack: ['1', '2'] } } } }),
    request({ match: { os: 'QNX' } }),
    request({ sut_id: 'b' }),
    request({ sut_id: 'c' }),
    request({ sut_id: 'a', priority: -1 }),
  ]
  t.is(aheadOf(suts, waiting, 0), 2)
  t.is(aheadOf(suts, waiting, 1), 0, 'nobody has such a priority')
  t.is(aheadOf(suts, waiting, -1), 3, 'who has as low a one and came before is first')
})

test('of a long queue, those who want the same are compared with the machines once', (t) => {
  let compared = 0
  const suts = ['Ubuntu', 'QNX'].map((os) => {
    const one = sut({ os })
    return Object.defineProperty(one, 'os', {
      get: () => {
        compared += 1
        return os
      },
    })
  })
  const waiting = ['qnx', 'Windows'].flatMap((os) => Array.from({ length: 1_000 }, () => request({ match: { os } })))
  t.is(aheadOf(suts, waiting, 0), 1_000)
  t.is(compared, 4)
})

test('a priority is a whole number from -100 to 100, and is said in words', (t) => {
  t.deepEqual(['0', ' 7 ', '-100', '100'].map(asPriority), [0, 7, -100, 100])
  t.deepEqual(['', ' ', '1.5', '101', '-101', 'x'].map(asPriority), Array(6).fill(undefined))
  t.regex(priorityText(0), /^Same as everyone/)
  t.regex(priorityText(1), /^Ahead of everyone with a lower priority/)
  t.regex(priorityText(-1), /^Behind everyone with a higher priority/)
  const of = (priority: number) => said(wordsOfRequest(request({ sut_id: 'a', priority }), (id) => id))
  t.deepEqual([of(0), of(5), of(-5)], ['<a>, 2\u00a0h', '<a>, 2\u00a0h, priority 5', '<a>, 2\u00a0h, priority −5'])
})

test('places are ordinals', (t) => {
  t.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 22, 111, 123].map(ordinalOf), [
    ...['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '22nd', '111th', '123rd'],
  ])
})

test('a sentence of the service has times of the browser, and nothing that turns its direction', (t) => {
  const sentence = '1 is reserved: bench \u202Efdp.exe\u2067 until 2030-05-02T14:00:00+02:00.'
  t.is(
    sentenceHere(sentence, (time) => `<${time}>`),
    `1 is reserved: bench fdp.exe until <${Date.UTC(2030, 4, 2, 12)}>.`,
  )
  // The number after such a name would be drawn before it.
  t.is(
    sentenceHere('2 are reserved: a by ليلى حداد, b by bob.', String),
    '2 are reserved: a by \u2068ليلى حداد\u2069, b by bob.',
  )
})

test('the place of a request is read again at once when others come and go, unless one has many', (t) => {
  const change = { sequence: '1', kind: 'sut_request', _id: 'other', sut_id: null } as const
  const isAtOnce = (own: number, changed: Change): boolean => {
    const { of, isInView } = aboutRequest('mine', () => own)
    return isInView?.(of(changed) ?? '') ?? false
  }
  t.true(isAtOnce(1, change))
  t.false(isAtOnce(11, change))
  t.true(isAtOnce(11, { ...change, _id: 'mine' }))
  t.false(isAtOnce(1, { ...change, kind: 'sut_reservation' }))
})
