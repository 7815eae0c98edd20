/**
 * Makes pictures of the page: `node test/web/pictures/make.ts FOLDER`. They are looked at, not compared: fonts differ
 * between machines. Those of the guide are `-desktop-light`, its `reserve` is `book`, its `phone` `schedule-phone-dark`.
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { start, tidyingLater } from '../../http/harness.ts'
import { BEFORE, fill, ME, NOW, PASSWORD, ZONE } from './lab.ts'

const SCREENS = ['schedule', 'mine', 'book', 'machines', 'people', 'activity', 'account', 'usage']
const SIZES = { desktop: [1440, 900], phone: [390, 844] } as const

const [folder = 'pictures'] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const later = tidyingLater()
const service = await start(later, {
  now: BEFORE,
  environment: { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: '20000-20099' },
})
await fill(service)
service.clock.set(NOW)
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
    await page.getByRole('main').locator('.tl-row .block').first().waitFor()
    for (const screen of SCREENS) {
      await page.goto(`/#/${screen}`)
      await page.waitForTimeout(500)
      await page.screenshot({ path: join(folder, `${screen}-${size}-${colorScheme}.png`) })
    }
    await context.close()
  }
}
await browser.close()
await later.tidy()
