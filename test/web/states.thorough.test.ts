import type { Page } from 'playwright-core'
import { passwordOf } from '../http/client.ts'
import { idOf, start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { accountOf, checkAccessible, signIn, inChromium as test } from './stage.ts'
import { interceptReads, screenStates } from './states.ts'

/** Every screen while it loads, fails, is empty, is cut off, and for those who may not use it, in a real browser. */

test('in Chromium every screen says that it loads, failed, is empty, is cut off, or is not for you', async (t, open) => {
  const service = await start(t)
  const admin = service.as('admin')
  const sut_id = await createSut(admin, { name: 'bench 1' })
  await admin.post('/api/user/create', {
    name: 'carl',
    role: 'tester',
    scope: 'rack=9',
    password: passwordOf('carl'),
  })
  const window = { start_in: 0, duration: 3_600 }
  await service.as('alice').post('/api/sut_reservation/create', { user_id: idOf('alice'), sut_id, ...window })
  await service.as('alice').post('/api/user/me/token', { name: 'nightly' })
  const pages = new Map<string, Page>()
  const pageOf = async (name: string) => {
    const page = pages.get(name) ?? (await open(service, name)).page
    pages.set(name, page)
    return page
  }
  for (const [name, screen] of Object.entries(screenStates(sut_id))) {
    const page = await pageOf(screen.user)
    const main = page.getByRole('main')
    const reads = await interceptReads(page)
    reads.hold(screen.reads)
    await page.goto(`/#/${screen.place}`)
    await page.reload()
    await main.getByText('Loading').first().waitFor()
    await reads.fail()
    await main.getByText(screen.failed).waitFor()
    await main.getByText('The disk of the service is full. It is tried again in 8 s.').first().waitFor()
    await main.getByText('urn:berth:request:41').first().waitFor()
    await checkAccessible(t, page)
    // It is tried again by itself, too.
    reads.hold(screen.reads)
    await main.getByRole('button', { name: 'Try again' }).first().click()
    await reads.empty()
    await main.getByText(screen.empty).first().waitFor()
    await page.context().setOffline(true)
    await page.getByRole('alert').getByText('Not connected since').waitFor()
    await main.getByText(screen.empty).first().waitFor()
    reads.pass()
    await page.context().setOffline(false)
    await main.getByText(screen.ready).first().waitFor()
    await page.getByText('Not connected since').waitFor({ state: 'detached' })
    t.pass(name)
    await page.unrouteAll()
    if (screen.forbidden === undefined) continue
    const other = await pageOf(screen.forbidden.user)
    await other.goto(`/#/${screen.place}`)
    await other.getByRole('main').getByText(screen.forbidden.text).waitFor()
    await checkAccessible(t, other)
  }
})

test('in Chromium sign-in and the screen of a machine say that they wait, failed, or are not for you', async (t, open) => {
  const service = await start(t)
  const sut_id = await createSut(service.as('admin'), { name: 'bench 1' })
  const window = { start_in: 0, duration: 3_600 }
  const made = await service.as('alice').post('/api/sut_reservation/create', { sut_id, ...window })
  const alice = await open(service)
  const { page } = alice
  const reads = await interceptReads(page)
  await page.goto('/')
  reads.hold(/\/api\/login$/)
  await signIn(alice, 'alice')
  await page.getByRole('button', { name: 'Sign in', exact: true, disabled: true }).waitFor()
  await reads.fail()
  await page.getByRole('alert').getByText('The disk of the service is full.').waitFor()
  await checkAccessible(t, page)
  reads.pass()
  await signIn(alice, 'alice')
  await accountOf(alice, 'alice').waitFor()

  reads.hold(/\/console$/)
  await page.goto(`/#/screen/${made.json._id}`)
  await page.getByRole('status').getByText('Connecting to bench 1…').waitFor()
  await checkAccessible(t, page)
  await reads.fail()
  await page.getByText('The screen could not be opened. Connecting again…').waitFor()
  reads.pass()
  await page.getByText('Another Berth instance forwards this machine').waitFor()
  await checkAccessible(t, page)
  const bob = await open(service, 'bob')
  await bob.page.goto(`/#/screen/${made.json._id}`)
  await bob.page.getByText('Another user holds this reservation.').waitFor()
})
