import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { EVENTS_OF_START, start } from '../http/harness.ts'
import { aSut, NOW } from '../http/requests.ts'
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
  return { data, sut }
}

test('"history" and "replay" print the same on a terminal as in a pipe, also with --json', async (t) => {
  const { data, sut } = await running(t)
  for (const line of [['history', sut], ['history', sut, '--json'], ['replay'], ['replay', '--json']])
    t.deepEqual(await type(line, { BERTH_DATA: data }, { columns: 80 }), await type(line, { BERTH_DATA: data }))
})

test('"replay" shows the members that differ', async (t) => {
  const { data, sut } = await stopped(t)
  t.regex((await type(['replay'], { BERTH_DATA: data })).out, /^same: \d+ documents from \d+ events\n$/)
  const views = new DatabaseSync(join(data, 'views.db'))
  views.exec(`UPDATE sut SET document = replace(document, 'linux', 'minix')`)
  views.exec('DELETE FROM listen_port')
  views.close()
  const { code, out } = await type(['replay'], { BERTH_DATA: data })
  t.is(code, 1)
  t.regex(out, new RegExp(`^sut, ${sut}, position \\d+: os: in use "minix", the log gives "linux"$`, 'm'))
  t.regex(out, /^listen_port, .*: missing in use; the log gives \{/m)
  t.regex(out, /\ndifferent: \d+ documents from \d+ events/)
})

test('on a terminal, "verify" without a checkpoint explains what was not compared', async (t) => {
  const { data } = await stopped(t)
  const environment = { BERTH_DATA: data }
  const watched = await type(['verify'], environment, { isWatched: true, columns: 80 })
  t.is(watched.code, 0)
  t.regex(watched.error, /Compared with no checkpoint: .*\n(.*\n)*.*npx berth verify --against berth\.checkpoint/)
  const checkpoint = join(data, 'berth.checkpoint')
  writeFileSync(checkpoint, (await type(['checkpoint'], environment)).out)
  const compared = await type(['verify', '--against', checkpoint], environment, { isWatched: true })
  t.false(compared.error.includes('Compared with no checkpoint'))
})

test('"verify" prints no explanation in a pipe', async (t) => {
  const { data } = await stopped(t)
  const { out, error } = await type(['verify'], { BERTH_DATA: data })
  t.is(error, '')
  t.regex(out, /^not checked: [^\n]*\nsound: \d+ events; root \S{44}\n$/)
})

test('"export" to a terminal shows no progress between the events', async (t) => {
  const { data } = await stopped(t)
  const line = ['export', '--log', join(data, 'events.db'), '--format', 'ndjson']
  const { out, error } = await type(line, { BERTH_DATA: data }, { isWatched: true, columns: 80 })
  const events = EVENTS_OF_START + 3
  t.deepEqual([out.trimEnd().split('\n').length, error], [events, `${events} events\n`])
  const piped = await type(line, { BERTH_DATA: data }, { isWatched: true })
  t.regex(piped.error, new RegExp(`\\r${events} of ${events} events.*\\r.*${events} events\\n$`))
})
