import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { start, tidyingLater } from '../../http/harness.ts'
import { interceptReads, type ScreenStates, screenStates } from '../states.ts'
import { AUDITOR, BEFORE, fill, ME, NOW, PASSWORD, SCOPED, TESTER, ZONE } from './lab.ts'

/**
 * Makes pictures of the page: `node test/web/pictures/make.ts FOLDER [NAME]`. They are looked at, not compared: fonts
 * differ between machines. `schedule.png` of the guide is
 * `schedule-day-desktop-light.png`.
 */

type Step = (page: Page) => Promise<unknown>

interface Picture {
  readonly step: Step
  /** Whose page it is. */
  readonly user?: string
}

const at =
  (place: string): Step =>
  (page) =>
    page.goto(`/#/${place}`)

/** What would be taken of such machines for some seconds from now. */
const booking =
  (match: string, duration: number): Step =>
  async (page) => {
    await page.goto(`/#/book?${new URLSearchParams({ match, duration: String(duration) })}`)
    await page.locator('.choices').getByRole('radio').first().waitFor()
  }

const STATES: Readonly<Record<string, Step>> = {
  'schedule-day': at('schedule'),
  'schedule-week': async (page) => {
    await page.locator('.tl-row .block').first().focus()
    await page.keyboard.press('w')
  },
  'schedule-own': async (page) => {
    await page.getByRole('row').filter({ hasText: 'win11-02' }).getByRole('gridcell', { name: /^You/ }).click()
    await page.getByRole('dialog').waitFor()
  },
  'schedule-shorten': async (page) => {
    const row = page.getByRole('row').filter({ hasText: 'win11-02' })
    await row.getByRole('gridcell', { name: /^You/ }).focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
  },
  'schedule-waiting': async (page) => {
    await page
      .getByRole('gridcell', { name: /waiting for/ })
      .first()
      .click()
    await page
      .getByRole('dialog')
      .getByText(/in line/)
      .waitFor()
  },
  'schedule-turnaround': async (page) => {
    const row = page.getByRole('row').filter({ hasText: 'jetson-orin-2' })
    await row
      .getByRole('gridcell', { name: /^Turnaround/ })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
  },
  'schedule-reserve': async (page) => {
    const row = page.getByRole('row').filter({ hasText: 'gpu-l4-2' })
    await row.hover()
    await row.getByRole('gridcell', { name: /^Free/ }).first().focus()
    await page.keyboard.press('Enter')
  },
  'schedule-weekly': async (page) => {
    const row = page.getByRole('row').filter({ hasText: 'gpu-l4-2' })
    await row.getByRole('gridcell', { name: /^Free/ }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Repeat weekly…' }).click()
    await page.getByText('2 of 8 dates are taken').waitFor()
  },
  'schedule-series': async (page) => {
    await page.locator('.tl-row .block').first().focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByRole('row').filter({ hasText: 'jetson-orin-2' }).getByRole('gridcell', { name: /^You/ }).click()
    await page.getByText(/7 more$/).waitFor()
  },
  'machine-edit': async (page) => {
    await at('machines')(page)
    await page.getByRole('link', { name: 'win11-05' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('dialog').waitFor()
  },
  'machine-week': async (page) => {
    await at('machines')(page)
    await page.getByRole('link', { name: 'jetson-orin-2' }).click()
    await page.getByRole('gridcell', { name: /one of a series$/ }).waitFor()
  },
  'machine-fields': async (page) => {
    await at('machines')(page)
    await page.getByRole('link', { name: 'win11-05' }).click()
    await page.getByText('Next 7 days').waitFor()
  },
  mine: at('mine'),
  'mine-next': async (page) => {
    await at('mine')(page)
    await page.getByRole('button', { name: 'Shorten' }).last().click()
    await page.getByRole('menu').waitFor()
  },
  'mine-series': async (page) => {
    await at('mine')(page)
    await page.getByRole('button', { name: /7 more$/ }).click()
    await page.getByRole('button', { name: 'Cancel', exact: true }).nth(1).click()
  },
  book: booking('{"os":["Ubuntu"],"tags":{"gpu":["a100","l4"]}}', 7_200),
  'book-wait': booking('{"tags":{"gpu":["a100"]}}', 14_400),
  machines: at('machines'),
  people: at('people'),
  activity: at('activity'),
  account: at('account'),
}

/** Whose page is shown in place of the users of the tests. */
const USERS: Readonly<Record<string, string>> = { alice: TESTER, audrey: AUDITOR, carl: SCOPED }

/** A screen while it loads, failed, is empty or is cut off, and for those who may not use it. */
const picturesOf = (name: string, { place, reads, failed, empty, forbidden }: ScreenStates): [string, Picture][] => {
  const held =
    (then: 'none' | 'fail' | 'empty', text: string): Step =>
    async (page) => {
      const requests = await interceptReads(page)
      requests.hold(reads)
      await at(place)(page)
      await page.reload()
      if (then !== 'none') await requests[then]()
      await page.getByRole('main').getByText(text).first().waitFor()
    }
  const cutOff: Step = async (page) => {
    await at(place)(page)
    await page.getByRole('main').locator('.sk').first().waitFor({ state: 'detached' })
    await page.context().setOffline(true)
    await page.getByText('Not connected since').waitFor()
  }
  return [
    [`${name}-loading`, { step: held('none', 'Loading') }],
    [`${name}-failed`, { step: held('fail', failed) }],
    [`${name}-empty`, { step: held('empty', empty), ...(name === 'schedule' && { user: TESTER }) }],
    [`${name}-offline`, { step: cutOff }],
    ...(forbidden === undefined
      ? []
      : [[`${name}-forbidden`, { step: at(place), user: USERS[forbidden.user] ?? ME }] as [string, Picture]]),
  ]
}

const SIZES = { desktop: [1440, 900], phone: [390, 844] } as const

const [folder = 'pictures', only] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const later = tidyingLater()
const service = await start(later, {
  now: BEFORE,
  environment: { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: '20000-20099' },
})
const machine = await fill(service)
const pictures: readonly [string, Picture][] = [
  ...Object.entries(STATES).map(([name, step]): [string, Picture] => [name, { step }]),
  ...Object.entries(screenStates(machine)).flatMap(([name, screen]) => picturesOf(name, screen)),
]
const wanted = pictures.filter(([name]) => only === undefined || name.startsWith(only))
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, [width, height]] of Object.entries(SIZES)) {
    for (const [user, those] of Map.groupBy(wanted, ([, { user = ME }]) => user)) {
      const context = await browser.newContext({
        ...{ viewport: { width, height }, colorScheme, timezoneId: ZONE, baseURL: service.url },
      })
      const page = await context.newPage()
      await page.clock.install({ time: NOW })
      await page.goto('/')
      await page.getByLabel('Name').fill(user)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('banner').waitFor()
      for (const [name, { step }] of those) {
        await page.goto('/')
        await page.reload()
        await page.getByRole('main').locator('.tl-row .block, .void').first().waitFor()
        await step(page).catch((error: unknown) => process.stderr.write(`${name}: ${String(error)}\n`))
        await page.waitForTimeout(500)
        await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) })
        await page.unrouteAll()
        await context.setOffline(false)
      }
      await context.close()
    }
  }
}
await browser.close()
await later.tidy()
