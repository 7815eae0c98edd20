import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../../http/documents/browser.ts'
import { tidyingLater } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { withServers } from '../measure/processes.ts'
import type { TableRow } from '../measure/table.ts'
import { startOver, untilReady } from '../scale/bookings.ts'
import { inRounds, rowOf } from '../scale/rounds.ts'
import { begin } from '../scale/seed.ts'
import { seedAhead } from '../scale/seed-ahead.ts'
import { PASSWORD } from '../servers/berth.ts'
import type { Setting } from '../servers/creating.ts'

/** The page in Chromium, over a large lab: how soon its schedule is painted, and whether it scrolls. */

const LAB = { suts: 1_000, windows: 20_000 }
const ROUNDS = 5
/** Milliseconds. */
const SOON = 60_000
/** How far it is scrolled: steps of a wheel, in pixels, and milliseconds between them. */
const [STEPS, STEP, EVERY] = [60, 600, 40]

/** Notes when all rows in view show their blocks, in milliseconds since the navigation began. */
const NOTE_PAINT = `
  const look = () => {
    const isPainted = document.querySelectorAll('.tl-row .block').length > 0 && document.querySelector('.sk') === null
    if (isPainted) requestAnimationFrame(() => { window.painted = performance.now() })
    else requestAnimationFrame(look)
  }
  look()
`

interface Event {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds that its thread ran. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** The tasks of the page's main thread while something is done, in milliseconds that it ran. */
const tasksOf = async (page: Page, act: () => Promise<unknown>): Promise<readonly number[]> => {
  const browser = page.context().browser() as Browser
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] })
  await act()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly Event[] }
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && mains.has(`${pid} ${tid}`),
  )
  if (tasks.length === 0) throw new Error('the trace has no tasks of the page')
  return tasks.map(({ tdur = 0 }) => tdur / 1_000)
}

const scroll = async (page: Page): Promise<void> => {
  await page.mouse.move(700, 500)
  for (let n = 0; n < STEPS; n++) {
    await page.mouse.wheel(0, STEP)
    await page.waitForTimeout(EVERY)
  }
  await until('all rows are read', () => page.evaluate(`document.querySelector('.sk') === null`), SOON)
}

export const pageRows = (setting: Setting): Promise<readonly TableRow[]> =>
  withServers(async (start) => {
    const data = join(setting.directory, 'page')
    setting.say(`seeding ${LAB.suts} SUTs with ${LAB.windows} reservations`)
    await seedAhead(data, await begin(data), LAB)
    const service = await startOver(data, start)
    await untilReady(service)
    const later = tidyingLater()
    try {
      const browser = await startBrowser(later, service.url)
      if (browser.kind === 'no browser') return [{ what: 'the schedule in Chromium', figures: [], notRun: browser.why }]
      const { page } = await browser.open(later, undefined)
      await page.setViewportSize({ width: 1_440, height: 900 })
      await page.goto('/')
      await page.getByLabel('Name').fill('admin')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('row').nth(10).waitFor()
      await page.addInitScript(NOTE_PAINT)
      const taken = await inRounds(ROUNDS, async () => {
        const loading = await tasksOf(page, async () => {
          await page.reload()
          await until('the schedule is painted', () => page.evaluate(`window.painted !== undefined`), SOON)
        })
        const painted = Number(await page.evaluate('window.painted'))
        const work = loading.reduce((sum, each) => sum + each, 0)
        const task = Math.max(...(await tasksOf(page, () => scroll(page))))
        const figures = [painted, work, task].map((each) => each.toFixed(0))
        setting.say(
          `painted after ${figures[0]} ms, of which it worked ${figures[1]}; the longest task of scrolling ${figures[2]} ms`,
        )
        return { painted, work, task }
      })
      const lab = `${LAB.suts} machines with ${LAB.windows} reservations`
      return [
        rowOf(
          taken,
          { what: `the schedule of ${lab} is painted`, unit: 'ms', digits: 0, must: { most: 1_500 } },
          ({ painted }) => painted,
        ),
        rowOf(
          taken,
          { what: 'the longest task while it is scrolled', unit: 'ms', digits: 0, must: { most: 100 } },
          ({ task }) => task,
        ),
      ]
    } finally {
      await later.tidy()
    }
  })
