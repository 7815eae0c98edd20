import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { makeProcessMetrics } from '../../src/telemetry/process-metrics.ts'
import { start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserve } from '../http/requests.ts'
import { ROOT } from '../process/harness.ts'
import { receive } from '../processes/webhooks/receiver.ts'
import { areInstalled } from '../tools.ts'
import { read, readYaml } from './files.ts'

const exec = promisify(execFile)

interface Rule {
  readonly alert: string
  readonly expr: string
}

const { groups } = readYaml('src/deploy/prometheus-rules.yml') as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap(({ rules }) => rules)

interface Panel {
  readonly targets?: readonly { readonly expr: string }[]
}

const dashboard = JSON.parse(read('src/deploy/grafana-dashboard.json')) as {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] }
}
const panelQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const variableQueries = dashboard.templating.list.flatMap(({ query }) =>
  typeof query === 'string' ? [] : [query.query],
)

/** All metrics that a service exposes. */
const exposed = async (t: ExecutionContext): Promise<string> => {
  const service = await start(t, { now: NOW })
  // Series with these labels exist only after the first append, the first refusal and the first deliveries.
  const admin = service.as('admin')
  const sut = await createSut(admin)
  for (const _ of ['reserved', 'refused']) await reserve(admin, aReservation(sut))
  const receiver = await receive(t)
  for (const url of [receiver.url, 'http://127.0.0.1:1/']) {
    const { json } = await admin.post('/api/webhook/create', { url, types: ['SutRetired'] })
    await admin.post(`/api/webhook/${json._id}/test`, {})
  }
  const { text } = await service.as('audrey').get('/metrics')
  return `${text}\n${await makeProcessMetrics(() => 0)()}`
}

/** The names of all series; a histogram has three. */
const seriesIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^([a-z_][a-z0-9_]*)(?:\{| )/gm)].map(([, name = '']) => name))

const seriesOf = (query: string): readonly string[] =>
  [...query.matchAll(/\b(?:berth|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) => name)

test('the service exposes every metric used in alerts and dashboard', async (t) => {
  const series = seriesIn(await exposed(t))
  t.true(series.has('berth_http_request_duration_seconds_bucket'), 'control')
  for (const query of [...rules.map(({ expr }) => expr), ...panelQueries, ...variableQueries]) {
    const names = seriesOf(query)
    t.true(names.length > 0, query)
    for (const name of names) t.true(series.has(name), `${name} in ${query}`)
  }
})

test('every metric of Berth is on the dashboard', async (t) => {
  const text = await exposed(t)
  const named = new Set(panelQueries.flatMap(seriesOf).map((name) => name.replace(/_(bucket|sum|count)$/, '')))
  for (const [, metric = ''] of text.matchAll(/^# TYPE (berth_\w+) /gm)) t.true(named.has(metric), metric)
})

test('labels and label values in queries exist in the metrics', async (t) => {
  const text = await exposed(t)
  for (const query of [...rules.map(({ expr }) => expr), ...panelQueries]) {
    for (const [, label = '', values = ''] of query.matchAll(/\b([a-z]+)=~?"([^"$]+)"/g)) {
      if (label === 'job') continue
      for (const value of values.split('|')) {
        t.regex(text, new RegExp(`[{,]${label}="${value === '5..' ? '\\d+' : value}"`), `${label}=${value}`)
      }
    }
    for (const [, labels = ''] of query.matchAll(/\bby \(([^)]+)\)/g)) {
      for (const label of labels.split(/, */).filter((each) => !['le', 'instance'].includes(each))) {
        t.regex(text, new RegExp(`[{,]${label}="`), label)
      }
    }
  }
})

test('promtool accepts the alerts, and their unit tests pass', async (t) => {
  if (!areInstalled(t, 'promtool')) return
  const promtool = (...args: readonly string[]) => exec('promtool', args, { cwd: ROOT })
  await t.notThrowsAsync(promtool('check', 'rules', 'src/deploy/prometheus-rules.yml'))
  await t.notThrowsAsync(promtool('test', 'rules', join('test/deploy', 'prometheus-rules.test.yml')))
})

test('every alert has a unit test', (t) => {
  const tested = read('test/deploy/prometheus-rules.test.yml')
  for (const { alert } of rules) t.true(tested.includes(alert), alert)
})
