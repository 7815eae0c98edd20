import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { projections } from '../../projections/index.ts'
import { openViewsFile } from '../../src/read-models/file/views-file.ts'
import { temporaryData } from '../http/harness.ts'
import { prepare } from './crash/ledger.ts'
import { startLoad } from './crash/load.ts'
import { type Ended, run, type Service, serve } from './harness.ts'
import { makeRandom, seedOf } from './random.ts'

const replay = (data: string, ...args: string[]) => run({ data, args: ['replay', ...args] })

const inShell = (path: string, sql: string): void => {
  const database = new DatabaseSync(path, { timeout: 5000 })
  database.exec(sql)
  database.close()
}

/** A service with some reservations and a changed SUT. */
const withDocuments = async (t: ExecutionContext): Promise<{ data: string; service: Service }> => {
  const data = join(await temporaryData(t), 'data')
  const service = await serve(t, { data })
  const [sut_id] = (await prepare(service)).suts
  const { _id: user_id } = (await service.get('/api/user/me')).json
  for (let quarter = 0; quarter < 4; quarter++) {
    const window = { start_in: 3600 + quarter * 900, duration: 1 }
    await service.post('/api/sut_reservation/create', { user_id, sut_id, ...window })
  }
  await service.post(`/api/sut/${sut_id}/update`, { description: 'changed' })
  return { data, service }
}

const isSame = ({ code, output, errors }: Ended): boolean =>
  code === 0 && errors === '' && /^same: \d+ documents from \d+ events\n$/.test(output)

test('replay finds no difference, while a service runs under load and after it has stopped', async (t) => {
  const { data, service } = await withDocuments(t)
  const target = { client: service, ...(await prepare(service)) }
  const load = startLoad(target, makeRandom(seedOf(process.env)), 4)
  await load.answered(20)
  const concurrent = await replay(data)
  t.true(isSame(concurrent), concurrent.output + concurrent.errors)
  load.stop()
  await load.ended
  await service.stop()
  const json = await replay(data, '--json')
  t.is(json.code, 0)
  const compared = JSON.parse(json.output) as Record<string, unknown>
  t.deepEqual(Object.keys(compared).sort(), ['behind', 'differences', 'documents', 'events', 'position', 'same'])
  t.like(compared, { same: true, differences: [], behind: 0 })
  t.is(compared.events, (compared.position as number) + 1)
  t.true((compared.documents as number) > 20)
})

test('replay names each difference: both versions of a document, and both positions', async (t) => {
  const { data, service } = await withDocuments(t)
  await service.stop()
  const views = join(data, 'views.db')
  inShell(views, `UPDATE sut SET document = replace(document, 'bench 2', 'bench II') WHERE document LIKE '%bench 2%'`)
  inShell(views, 'DELETE FROM reservation WHERE position = (SELECT max(position) FROM reservation)')
  const [text, json] = await Promise.all([replay(data), replay(data, '--json')])
  t.is(text.code, 1)
  const [sut = '', reservation = '', verdict = ''] = text.output.split('\n')
  t.regex(sut, /^sut, [0-9a-f]{24}, position \d+: name: in use "bench II", the log gives "bench 2"/)
  t.regex(reservation, /^reservation, [0-9a-f]{24}, position \d+: missing in use; the log gives /)
  t.regex(verdict, /^different: /)
  t.is(json.code, 1)
  t.like(JSON.parse(json.output), { same: false, differences: [sut, reservation] })

  inShell(views, 'UPDATE progress SET position = position + 5, storePosition = storePosition + 5')
  const further = await replay(data)
  t.is(further.code, 1)
  t.regex(further.output, /^the log ends at position \d+, the stored documents at \d+\n/)
})

test('replay without written views compares nothing and exits with code 1', async (t) => {
  const { data, service } = await withDocuments(t)
  await service.stop()
  // Like a service that has just started and not committed yet.
  const views = join(data, 'views.db')
  await rm(views)
  openViewsFile(views, projections).close()
  const [text, json] = await Promise.all([replay(data), replay(data, '--json')])
  t.is(text.code, 1)
  t.regex(text.output, /^not compared: the views have reached event 0 of [1-9]\d*: [^\n]+\n$/)
  t.is(json.code, 1)
  const { same, events, behind } = JSON.parse(json.output) as Record<string, unknown>
  t.deepEqual([same, events], [false, 0])
  t.true((behind as number) > 0)
})

test('replay compares up to the position of the views and reports that they lag', async (t) => {
  const { data, service } = await withDocuments(t)
  await service.stop()
  const views = join(data, 'views.db')
  const early = join(data, 'early.db')
  await copyFile(views, early)
  const again = await serve(t, { data })
  const { _id: user_id } = (await again.get('/api/user/me')).json
  const [sut_id] = (await prepare(again)).suts
  await again.post('/api/sut_reservation/create', { user_id, sut_id, start_in: 3600, duration: 1 })
  await again.stop()
  await copyFile(early, views)
  const text = await replay(data)
  t.is(text.code, 0, text.output)
  const [, events, behind] =
    /^same: \d+ documents from (\d+) events; the views have reached event \1 of (\d+): [^\n]+\n$/.exec(text.output) ??
    []
  t.true(Number(events) > 0 && Number(behind) > Number(events), text.output)
})
