import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { start, tidyingLater } from '../../http/harness.ts'
import { BEFORE, fill, ME, NOW, PASSWORD, ZONE } from './lab.ts'

/**
 * Makes pictures of the page: `node test/web/pictures/make.ts FOLDER [NAME]`. They are looked at, not compared: fonts
 * differ between machines. `schedule.png` of the guide is
 * `schedule-day-desktop-light.png`.
 */

type Step = (page: Page) => Promise<unknown>

const at =
  (place: string): Step =>
  (page) =>
    page.goto(`/#/${place}`)

const STATES: Readonly<Record<string, Step>> = {
  'schedule-day': at('schedule'),
  'schedule-week': async (page) => {
    await page
      .getByRole('radio', { name: 'Week' })
      .or(page.getByRole('button', { name: 'Week' }))
      .first()
      .click()
  },
  'schedule-reserve': async (page) => {
    const row = page.getByRole('row').filter({ hasText: 'gpu-l4-2' })
    await row.hover()
    await row.getByRole('button', { name: /for 1 h$/ }).click()
  },
  mine: at('mine'),
  machines: at('machines'),
  people: at('people'),
  activity: at('activity'),
  account: at('account'),
}

const SIZES = { desktop: [1440, 900], phone: [390, 844] } as const

const [folder = 'pictures', only] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const later = tidyingLater()
const service = await start(later, {
  now: BEFORE,
  environment: { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: '20000-20099' },
})
await fill(service)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, [width, height]] of Object.entries(SIZES)) {
    const context = await browser.newContext({
      ...{ viewport: { width, height }, colorScheme, timezoneId: ZONE, baseURL: service.url },
    })
    const page = await context.newPage()
    await page.clock.install({ time: NOW })
    await page.goto('/')
    await page.getByLabel('Name').fill(ME)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.locator('.tl-row .block').first().waitFor()
    for (const [name, step] of Object.entries(STATES)) {
      if (only !== undefined && name !== only) continue
      await page.goto('/')
      await page.reload()
      await page.locator('.tl-row .block').first().waitFor()
      await step(page).catch((error: unknown) => process.stderr.write(`${name}: ${String(error)}\n`))
      await page.waitForTimeout(500)
      await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) })
    }
    await context.close()
  }
}
await browser.close()
await later.tidy()
