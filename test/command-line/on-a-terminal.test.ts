import { writeFileSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { openViewsFile } from '../../src/read-models/file/views-file.ts'
import { EVENTS_OF_START, start } from '../http/harness.ts'
import { aSut, createSut, NOW } from '../http/requests.ts'
import { type } from './terminal.ts'

/** A service with a SUT that was updated with a reason. */
const running = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = String((await admin.post('/api/sut/create', { ...aSut(), os: 'plan 9' })).json._id)
  await admin.post(`/api/sut/${sut}/update`, { os: 'linux' }, { 'Berth-Reason': 'new%20disk' })
  return { service, data: service.data, sut }
}

/** The same, stopped. */
const stopped = async (t: ExecutionContext) => {
  const { service, data, sut } = await running(t)
  await service.stop()
  return { data, sut, views: join(data, 'views.db'), env: { BERTH_DATA: data } }
}

const change = (views: string, ...statements: readonly string[]): void => {
  const database = new DatabaseSync(views)
  for (const statement of statements) database.exec(statement)
  database.close()
}

test('"history" and "replay" print the same on a terminal as in a pipe, also with --json', async (t) => {
  const { data, sut } = await running(t)
  for (const line of [['history', sut], ['history', sut, '--json'], ['replay'], ['replay', '--json']])
    t.deepEqual(await type(line, { BERTH_DATA: data }, { columns: 80 }), await type(line, { BERTH_DATA: data }))
})

test('"replay" shows each member that differs, each document that is missing, and views that are ahead', async (t) => {
  const { sut, views, env } = await stopped(t)
  const same = JSON.parse((await type(['replay', '--json'], env)).out)
  t.like(same, { same: true, differences: [], behind: 0, events: EVENTS_OF_START + 3, position: EVENTS_OF_START + 2 })
  t.regex((await type(['replay'], env)).out, /^same: \d+ documents from \d+ events\n$/)
  change(views, `UPDATE sut SET document = replace(document, 'linux', 'minix')`, 'DELETE FROM listen_port')
  const { code, out } = await type(['replay'], env)
  t.is(code, 1)
  t.regex(out, new RegExp(`^sut, ${sut}, position \\d+: os: in use "minix", the log gives "linux"$`, 'm'))
  t.regex(out, /^listen_port, .*: missing in use; the log gives \{/m)
  t.regex(out, /\ndifferent: \d+ documents from \d+ events/)
  const json = await type(['replay', '--json'], env)
  t.is(json.code, 1)
  t.like(JSON.parse(json.out), { same: false, differences: out.split('\n').slice(0, 2) })
  change(views, 'UPDATE progress SET position = position + 5, storePosition = storePosition + 5')
  t.regex((await type(['replay'], env)).out, /^the log ends at position \d+, the stored documents at \d+\n/)
})

test('"replay" compares up to where the views are, and says so; without any it compares nothing', async (t) => {
  const { data, views, env } = await stopped(t)
  await copyFile(views, join(data, 'early.db'))
  const again = await start(t, { now: NOW, data })
  await createSut(again.as('admin'))
  await again.stop()
  await copyFile(join(data, 'early.db'), views)
  const behind = await type(['replay'], env)
  const [events, all] = [EVENTS_OF_START + 3, EVENTS_OF_START + 5]
  t.is(behind.code, 0)
  t.regex(
    behind.out,
    new RegExp(`^same: .* ${events} events; the views have reached event ${events} of ${all}: .*\\n$`),
  )
  // Like a service that has just started and not committed yet.
  await rm(views)
  openViewsFile(views).close()
  const none = await type(['replay'], env)
  t.is(none.code, 1)
  t.regex(none.out, new RegExp(`^not compared: the views have reached event 0 of ${all}: .*\\n$`))
  t.like(JSON.parse((await type(['replay', '--json'], env)).out), { same: false, events: 0, behind: all })
})

test('on a terminal, "verify" without a checkpoint explains what was not compared, and in a pipe nothing', async (t) => {
  const { data, env } = await stopped(t)
  const { out, error } = await type(['verify'], env)
  t.is(error, '')
  t.regex(out, /^not checked: [^\n]*\nsound: \d+ events; root \S{44}\n$/)
  const watched = await type(['verify'], env, { isWatched: true, columns: 80 })
  t.is(watched.code, 0)
  t.regex(watched.error, /Compared with no checkpoint: .*\n(.*\n)*.*npx berth verify --against berth\.checkpoint/)
  const checkpoint = join(data, 'berth.checkpoint')
  writeFileSync(checkpoint, (await type(['checkpoint'], env)).out)
  const compared = await type(['verify', '--against', checkpoint], env, { isWatched: true })
  t.false(compared.error.includes('Compared with no checkpoint'))
})

test('"export" to a terminal shows no progress between the events', async (t) => {
  const { data, env } = await stopped(t)
  const line = ['export', '--log', join(data, 'events.db'), '--format', 'ndjson']
  const { out, error } = await type(line, env, { isWatched: true, columns: 80 })
  const events = EVENTS_OF_START + 3
  t.deepEqual([out.trimEnd().split('\n').length, error], [events, `${events} events\n`])
  const piped = await type(line, env, { isWatched: true })
  t.regex(piped.error, new RegExp(`\\r${events} of ${events} events.*\\r.*${events} events\\n$`))
})
