import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import type { Change, News } from '../../../src/web/data/news.ts'
import { type About, ofKinds, ofSut } from '../../../src/web/data/query.ts'
import { openReading } from '../../../src/web/data/reading.ts'
import { Refused } from '../../../src/web/service/api.ts'

const change = (sequence: string, kind: Change['kind'], _id: string, sut_id: string | null = null): Change => ({
  ...{ sequence, kind, _id, sut_id },
})
const news = (position: string, ...changes: readonly Change[]): News => ({ position, changes })
const EVERYTHING: News = { position: '09', changes: undefined }

/** What a reading asks for, answered at once at a position. */
const open = (about: About, position = '03') => {
  const asked: { readonly ids: readonly string[] | undefined; readonly after: string | undefined }[] = []
  const reading = openReading({
    ...about,
    api: {
      get: async (_path, sent) => {
        asked.push({ ids: undefined, after: sent?.after })
        return { value: undefined as never, etag: undefined, position }
      },
    },
    read: async (api, ids) => {
      await api.get('/')
      const { after } = asked.pop() ?? {}
      asked.push({ ids, after })
    },
    onValue: () => undefined,
    onFailed: (error) => {
      throw error
    },
  })
  return { reading, asked }
}

test('a reading is taken at once, and then only of what has changed and concerns it', async (t) => {
  const { reading, asked } = open(ofKinds('sut'))
  await setImmediate()
  reading.tell(news('05', change('04', 'user', 'u'), change('05', 'sut', 's')))
  await setImmediate()
  reading.tell(news('06', change('06', 'user', 'u')))
  await setImmediate()
  t.deepEqual(asked, [
    { ids: undefined, after: undefined },
    { ids: ['s'], after: '05' },
  ])
})

test('what an answer has shown already is not read again', async (t) => {
  const { reading, asked } = open(ofKinds('sut'))
  await setImmediate()
  reading.tell(news('03', change('02', 'sut', 's'), change('03', 'sut', 't')))
  reading.tell({ position: '03', changes: undefined })
  await setImmediate()
  t.is(asked.length, 1)
})

test('what changes while a reading is under way is read after it, in one reading', async (t) => {
  const { reading, asked } = open(ofKinds('sut'))
  reading.tell(news('02', change('02', 'sut', 'shown')))
  reading.tell(news('04', change('04', 'sut', 's')))
  reading.tell(news('05', change('05', 'sut', 't')))
  await setImmediate()
  t.deepEqual(asked.slice(1), [{ ids: ['s', 't'], after: '05' }])
})

test('what nobody sees is not read until it comes into view', async (t) => {
  const inView = new Set(['s'])
  const { reading, asked } = open({ ...ofKinds('sut'), isInView: (id) => inView.has(id) })
  await setImmediate()
  reading.tell(news('04', change('04', 'sut', 'far')))
  await setImmediate()
  t.is(asked.length, 1)
  inView.add('far')
  reading.readVisible()
  await setImmediate()
  t.deepEqual(asked.at(-1)?.ids, ['far'])
  reading.readVisible(['s'])
  await setImmediate()
  t.deepEqual(asked.at(-1)?.ids, ['s'])
  reading.close()
})

test('that anything may have changed leads to one reading, not to one each time it is told', async (t) => {
  const { reading, asked } = open(ofKinds('sut'))
  await setImmediate()
  reading.again()
  await setImmediate()
  for (let n = 0; n < 4; n++) reading.tell(EVERYTHING)
  await setImmediate()
  t.is(asked.length, 2)
  reading.close()
})

test('what has changed in view is read at once, also while everything is to be read later', async (t) => {
  const { reading, asked } = open(ofKinds('sut'))
  await setImmediate()
  reading.tell(EVERYTHING)
  reading.tell(news('10', change('10', 'user', 'u')))
  await setImmediate()
  t.is(asked.length, 1)
  reading.tell(news('11', change('11', 'sut', 's')))
  await setImmediate()
  reading.tell(news('12', change('12', 'sut', 't')))
  await setImmediate()
  t.deepEqual(asked.slice(1), [
    { ids: ['s'], after: '11' },
    { ids: ['t'], after: '12' },
  ])
  reading.close()
})

test('a reading of one machine takes what is recorded about it', (t) => {
  const { of } = ofSut('s', 'sut', 'sut_reservation')
  t.is(of(change('01', 'sut', 's', 's')), 's')
  t.is(of(change('01', 'sut_reservation', 'r', 's')), 'r')
  t.is(of(change('01', 'session', 'c', 's')), undefined)
  t.is(of(change('01', 'sut', 'other', 'other')), undefined)
})

test('a reading that failed reports why, one that somebody waits for is taken at once, after what was unforeseen too', async (t) => {
  for (const [error, status] of [
    [new Refused(503, { code: 'unavailable', detail: 'Not now.' }), 503],
    [new TypeError('value.suts is undefined'), 0],
  ] as const) {
    let tries = 0
    const failed: Refused[] = []
    const reading = openReading({
      ...ofKinds('sut'),
      api: { get: () => Promise.reject(error) },
      read: (source) => {
        tries += 1
        return source.get('/')
      },
      onValue: () => t.fail(),
      onFailed: (refused) => failed.push(refused),
    })
    reading.again()
    await setImmediate()
    await setImmediate()
    reading.close()
    t.deepEqual([tries, failed.length, failed[0]?.status], [2, 2, status])
  }
})

test('what is answered to a reading that was closed meanwhile goes nowhere', async (t) => {
  const answer = Promise.withResolvers<never>()
  const reading = openReading({
    ...ofKinds('sut'),
    api: { get: () => answer.promise },
    read: async (source) => {
      await source.get('/')
      t.fail()
    },
    ...{ onValue: () => t.fail(), onFailed: () => t.fail() },
  })
  reading.close()
  answer.resolve({ value: undefined, etag: undefined, position: '01' } as never)
  await setImmediate()
  t.pass()
})

test('what there is not is asked for three times, and then not until something tells of it', async (t) => {
  let asked = 0
  const reading = openReading({
    ...ofKinds('sut'),
    api: { get: () => Promise.reject(new Refused(404, { code: 'sut_not_found', detail: '' })) },
    read: (api) => {
      asked += 1
      return api.get('/')
    },
    ...{ onValue: () => t.fail(), onFailed: () => undefined },
  })
  await setImmediate()
  for (const tries of [2, 3]) {
    reading.again()
    await setImmediate()
    t.is(asked, tries)
  }
  reading.tell(news('05', change('05', 'user', 'u')))
  await setImmediate()
  t.is(asked, 3)
  reading.tell(news('06', change('06', 'sut', 's')))
  await setImmediate()
  t.is(asked, 4)
})
