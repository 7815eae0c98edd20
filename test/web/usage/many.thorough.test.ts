import { start } from '../../http/harness.ts'
import { createSut } from '../../http/requests.ts'
import { checkAccessible, inChromium as test } from '../stage.ts'

const MACHINES = 1_000
const DAY_MS = 86_400_000

/** A report of so many machines, each of them held in every bucket, as the service would answer. */
const report = (url: string): object => {
  const { searchParams } = new URL(url)
  const [from = 0, to = 0] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''))
  const [by, bucket] = [searchParams.get('by'), searchParams.get('bucket')]
  const length = { hour: DAY_MS / 24, day: DAY_MS, week: 7 * DAY_MS }[bucket ?? ''] ?? to - from
  const starts = Array.from({ length: Math.max(1, Math.round((to - from) / length)) }, (_, n) => from + n * length)
  const keys = by === 'none' ? [null] : Array.from({ length: MACHINES }, (_, n) => `node ${n}`)
  const rows = starts.flatMap((start) =>
    keys.map((key, n) => ({
      ...{ key, name: key, bucket: bucket === 'none' ? null : new Date(start).toISOString() },
      ...{ held_seconds: 7_200 + n, used_seconds: 3_600, reservations: 2, unused_reservations: 1 },
      ...{ cancelled: 0, released_early_seconds: 60, users: 1, suts: 1 },
    })),
  )
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), time_zone: 'UTC', rows }
}

test('thorough: in Chromium 400 days of 1,000 machines are asked for and drawn in parts', async (t, open) => {
  const service = await start(t)
  await createSut(service.as('admin'), { name: 'bench 1' })
  const { page } = await open(service, 'admin')
  const lengths: number[] = []
  await page.route('**/api/report/usage*', (route) => {
    const json = report(route.request().url()) as { rows: unknown[] }
    lengths.push(json.rows.length)
    return route.fulfill({ json })
  })
  await page.route('**/api/report/demand*', (route) => route.fulfill({ json: { rows: [] } }))
  await page.goto('/#/usage?span=d400')
  const table = page.getByRole('region', { name: 'Usage by Machine' })
  await table.getByRole('button', { name: 'node 999' }).waitFor()
  t.true((await table.getByRole('row').count()) < 60)
  await table.getByRole('button', { name: 'node 999' }).press('End')
  await table.getByRole('button', { name: 'node 0', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'node 0', pressed: true }).waitFor()
  await page.getByRole('img', { name: 'Hours a week' }).locator('canvas').waitFor()
  t.true(Math.max(...lengths) <= 10_000, `a report of ${Math.max(...lengths)} rows`)
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1_440, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      await checkAccessible(t, page)
    }
})
