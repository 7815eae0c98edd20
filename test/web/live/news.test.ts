import test from 'ava'
import { type Change, heardFrom, joined, type News } from '../../../src/web/data/news.ts'

const change = (sequence: string, _id: string): Change => ({ sequence, kind: 'sut', _id, sut_id: _id })
const news = (position: string, ...changes: readonly Change[]): News => ({ position, changes })

test('of several changes of one object the last is kept', (t) => {
  const all = joined(news('02', change('01', 'a'), change('02', 'b')), news('03', change('03', 'a')))
  t.deepEqual(all, { position: '03', changes: [change('03', 'a'), change('02', 'b')] })
})

test('where anything may have changed, what is told before and after does not matter', (t) => {
  const everything: News = { position: '05', changes: undefined }
  t.deepEqual(joined(news('02', change('02', 'a')), everything), everything)
  t.deepEqual(joined(everything, news('06', change('06', 'a'))), { position: '06', changes: undefined })
})

test('what another tab has heard is enough where it goes back far enough, and otherwise all may have changed', (t) => {
  const heard = { news: news('07', change('06', 'a')), since: '05', position: '07' }
  for (const at of ['05', '06']) t.deepEqual(heardFrom(at, heard), heard.news, at)
  t.is(heardFrom('07', heard), undefined)
  t.deepEqual(heardFrom('08', heard), news('07'), 'it was read later than that tab has heard')
  const everything = { position: '07', changes: undefined }
  for (const at of ['04', undefined]) t.deepEqual(heardFrom(at, heard), everything, at)
  t.deepEqual(heardFrom('08', { news: undefined, since: '09', position: '07' }), everything, 'it is another log')
})

test('more than 500 changed objects are everything', (t) => {
  const many = Array.from({ length: 500 }, (_, n) => change('01', `s${n}`))
  t.is(joined(news('01', ...many), news('02', change('02', 's0'))).changes?.length, 500)
  t.is(joined(news('01', ...many), news('02', change('02', 'other'))).changes, undefined)
})
