/** Waiting for a machine, in a real browser. */

import { idOf, start } from '../../http/harness.ts'
import { createSut } from '../../http/requests.ts'
import { beforeNext, checkAccessible, enter, pressFree, says, inChromium as test } from '../stage.ts'

/** Requests of a user that may wait, and of a page of a list, at most. */
const [PER_USER, PER_PAGE] = [100, 1_000]

const HOUR = { start_in: 0, duration: 3_600 }

test("in Chromium one waits for any machine, sees one's place and why, and is told when it is there", async (t, open) => {
  const service = await start(t)
  const [first, second] = [
    await createSut(service.as('admin'), { name: 'bench 1', os: 'Ubuntu' }),
    await createSut(service.as('admin'), { name: 'bench 2', os: 'Ubuntu' }),
  ]
  const bob = service.as('bob')
  const held = await bob.post('/api/sut_reservation/create', { sut_id: first, ...HOUR })
  await bob.post('/api/sut_reservation/create', { sut_id: second, ...HOUR })
  await bob.post('/api/sut_request/create', { sut_id: second, duration: 1_800 })
  const setMost = (priority_max: number) =>
    service.as('admin').post(`/api/user/${idOf('alice')}/update`, { quota: { priority_max } })
  await setMost(0)
  const { page } = await open(service, 'alice')
  const match = JSON.stringify({ os: 'Ubuntu' })
  await page.goto(`/#/book?${new URLSearchParams({ match })}`)
  await page.getByRole('radio', { name: 'Wait for one, 1 h you would be 2nd' }).waitFor()
  await page.getByLabel('Wait up to').selectOption('4 h')
  const [priority, wait] = [page.getByLabel('Priority'), page.getByRole('button', { name: /^Join the queue until / })]
  await priority.fill('1')
  await page.getByRole('alert').getByText('Enter a whole number from −100 to 0.').waitFor()
  await setMost(5)
  await page.getByText('Ahead of everyone with a lower priority, even if they have waited longer.').waitFor()
  await page.getByRole('radio', { name: 'Wait for one, 1 h you would be 1st' }).waitFor()
  await wait.and(page.locator(':enabled')).waitFor()
  await checkAccessible(t, page)
  // The quota is lowered before the page can know.
  await beforeNext(page, '**/api/sut_request/create', async () => {
    await setMost(0)
  })
  await wait.click()
  await says(page, 'alert', /to 0\.$/)
  await priority.fill('-1')
  await page.getByRole('radio', { name: 'Wait for one, 1 h you would be 2nd' }).waitFor()
  await wait.click()
  const card = page.getByRole('main').getByRole('article')
  await card.getByText(/in line/).waitFor()
  await card.getByText('any Ubuntu, 1 h').waitFor()
  await card.getByText('Details', { exact: true }).click()
  await card.getByText('2 machines fit.').waitFor()
  const queue = page.getByRole('region', { name: 'Waiting' })
  await queue.getByRole('row', { name: /^1 bob bench 2, 30 m/ }).waitFor()
  await queue.getByRole('row', { name: /^2 You any Ubuntu, 1 h, priority −1/ }).waitFor()
  await checkAccessible(t, page)
  await page.goto('/#/schedule')
  await page.getByRole('button', { name: '2 waiting' }).click()
  await page.getByRole('dialog', { name: 'Waiting' }).getByText('any Ubuntu, 1 h').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('gridcell', { name: 'bob, waiting for 30 m' }).press('Enter')
  const other = page.getByRole('dialog', { name: 'bob is waiting' })
  await other.getByText('1st in line').waitFor()
  t.is(await other.getByRole('button', { name: 'Leave' }).count(), 0)
  await checkAccessible(t, page)
  await other.getByRole('button', { name: 'Reserve this time' }).click()
  await page.getByRole('dialog', { name: 'Reserve bench 2' }).waitFor()
  await bob.post(`/api/sut_reservation/${held.json._id}/cancel`, {})
  await says(page, 'alert', /^bench 1 is yours until/)
  await checkAccessible(t, page)
  await page.getByRole('alert').getByRole('link', { name: 'Show reservation' }).click()
  await page.getByRole('article', { name: 'bench 1' }).waitFor()
})

test('in Chromium one waits for the machine that somebody else has taken, and withdraws', async (t, open) => {
  const service = await start(t)
  const sut_id = await createSut(service.as('admin'), { name: 'bench 1' })
  const alice = await open(service)
  const { page } = alice
  await enter(alice, 'alice')
  await pressFree(page, 'bench 1')
  await beforeNext(page, '**/api/sut_reservation/create', async () => {
    await service.as('bob').post('/api/sut_reservation/create', { sut_id, ...HOUR })
  })
  await page.getByRole('button', { name: /^Reserve until/ }).click()
  await page.getByRole('button', { name: /^Wait for it/ }).click()
  const dialog = page.getByRole('dialog', { name: 'You are waiting' })
  await dialog.getByText('1st in line').waitFor()
  await checkAccessible(t, page)
  await page.keyboard.press('Escape')
  await page.goto('/#/mine')
  await page.getByRole('heading', { name: 'Waiting' }).waitFor()
  await page.getByText('bench 1, 1 h').waitFor()
  await checkAccessible(t, page)
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('alert').getByText('Leave the queue? You will lose your place.').waitFor()
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Waiting' }).waitFor({ state: 'detached' })
  const { json } = await service.as('alice').get(`/api/sut_request?user_id=${idOf('alice')}`)
  t.deepEqual(
    (json.sut_requests as { status: string }[]).map(({ status }) => status),
    ['withdrawn'],
  )
  // Of a long queue one sees the beginning, and on demand the rest.
  for (let n = 0; n < 22; n++)
    await service.as('bob').post('/api/sut_request/create', { sut_id, duration: 3_600, priority: n === 21 ? 1 : 0 })
  await page.goto('/#/book')
  const queue = page.getByRole('region', { name: 'Waiting' })
  await queue.getByRole('row', { name: /^1 bob bench 1, 1 h, priority 1/ }).waitFor()
  await queue.getByText('2 more waiting.').waitFor()
  await queue.getByRole('button', { name: 'Show more' }).click()
  await queue.getByRole('row', { name: /^22 bob/ }).waitFor()
})

test('in Chromium a queue of several pages shows its beginning and oneself, and more on demand', async (t, open) => {
  const service = await start(t)
  const sut_id = await createSut(service.as('admin'), { name: 'bench 1' })
  await service.as('bob').post('/api/sut_reservation/create', { sut_id, ...HOUR })
  const wait = async (as: ReturnType<typeof service.as>, body: object): Promise<void> => {
    const { status, text } = await as.post('/api/sut_request/create', { sut_id, duration: 900, ...body })
    if (status !== 201) throw new Error(text)
  }
  for (let n = 0; n < PER_PAGE; n += PER_USER) {
    const person = { name: `user ${n}`, role: 'tester', password: 'a password' }
    const { _id: user_id } = (await service.as('admin').post('/api/user/create', person)).json
    await Promise.all(Array.from({ length: PER_USER }, () => wait(service.as('admin'), { user_id })))
  }
  await wait(service.as('alice'), {})
  const { page } = await open(service, 'alice')
  await page.goto('/#/book')
  await page.getByRole('radio', { name: 'Wait for one, 1 h you would be 1002nd' }).waitFor()
  const queue = page.getByRole('region', { name: 'Waiting' })
  await queue.getByRole('row', { name: /^1001 You/ }).waitFor()
  await queue.getByText('980 more waiting.').waitFor()
  t.is(await queue.getByRole('row').count(), 22, 'a head, twenty, and oneself')
  await queue.getByRole('button', { name: 'Show more' }).click()
  await queue.getByText('880 more waiting.').waitFor()
  t.is(await queue.getByRole('row').count(), 122)
})
