/** What people and machines can send to harm those who look, on every screen, in a real browser. */

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { opened } from '../gateway/console/stage.ts'
import { freePort, startSut } from '../gateway/peers.ts'
import { passwordOf } from '../http/client.ts'
import type { Opened } from '../http/documents/browser.ts'
import { idOf, type Running, start } from '../http/harness.ts'
import { aSut } from '../http/requests.ts'
import { accountOf, checkAccessible, hasFocus, signIn, inChromium as test } from './stage.ts'

const MARKUP = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>'
const ATTRIBUTE = `"><svg onload=window.harmed=1>' onmouseover='window.harmed=1`
const LINK = 'javascript:window.harmed=1'
/** Shows what follows from right to left, and does not end. */
const BACKWARDS = '\u202Efdp.exe\u2067'
const EMOJI = '🚀'.repeat(256)
const WORD = 'W'.repeat(256)
const LONG = `${MARKUP}${BACKWARDS}`.padEnd(4_096, 'W')

const MACHINES = [MARKUP, `${ATTRIBUTE}${LINK}`, `bench ${BACKWARDS}`, EMOJI, WORD]
/** The service takes no invisible characters in the names of people. */
const PEOPLE = [MARKUP, ATTRIBUTE, 'ليلى حداد', '🚀'.repeat(128), WORD.slice(0, 128)]

/** A lab in which everything that can be named is named so. Gives the ids of a machine and of a person. */
const fill = async (service: Running): Promise<{ readonly machine: string; readonly person: string }> => {
  const admin = service.as('admin')
  const make = async (path: string, body: object): Promise<string> => {
    const { status, json, text } = await admin.post(path, body, { 'Berth-Reason': encodeURIComponent(MARKUP) })
    if (status !== 201) throw new Error(`${path} ${JSON.stringify(body).slice(0, 120)}: ${text}`)
    return String(json._id)
  }
  const people: string[] = []
  const machines: string[] = []
  for (const name of PEOPLE)
    people.push(await make('/api/user/create', { name, role: 'tester', password: 'a password' }))
  for (const name of MACHINES) {
    const more = {
      ...{ description: LONG, os: MARKUP, version: BACKWARDS, manufacturer: WORD, model: ATTRIBUTE, turnaround: 900 },
    }
    const tags = { rack: MARKUP, place: BACKWARDS, emoji: EMOJI, word: WORD }
    machines.push(await make('/api/sut/create', { ...aSut({ name }), ...more, tags }))
  }
  for (const [n, sut_id] of machines.entries())
    await make('/api/sut_reservation/create', { user_id: people[n], sut_id, start_in: 0, duration: 7_200 })
  const own = await make('/api/sut/create', aSut({ name: `${MARKUP}${BACKWARDS}` }))
  await make('/api/sut_reservation/create', { user_id: idOf('admin'), sut_id: own, start_in: 0, duration: 7_200 })
  const match = { os: MARKUP, version: BACKWARDS, tags: { rack: MARKUP, place: BACKWARDS, word: WORD } }
  for (const user_id of [...people, idOf('admin')])
    await make('/api/sut_request/create', { user_id, match, duration: 900 })
  await make('/api/sut_request/create', { user_id: idOf('admin'), sut_id: machines[2], duration: 900 })
  await make('/api/user/me/token', { name: '<img src=x onerror="window.harmed=1">' })
  return { machine: machines[0] ?? '', person: people[2] ?? '' }
}

/** Texts that turn their direction, and that of what follows them. A block, like `bdi`, keeps it to itself. */
const LOOSE = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!node.data.includes('\\u202E')) continue
    let around = node.parentElement
    while (getComputedStyle(around).display === 'inline' && !getComputedStyle(around).unicodeBidi.includes('isolate'))
      around = around.parentElement
    if (!around.textContent.trim().endsWith(node.data.trim())) found.push(around.outerHTML.slice(0, 300))
  }
  return found
})()`

/** What is wider than it can show. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('main, header')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ localName, scrollWidth, clientWidth }) => [localName, scrollWidth, clientWidth].join(' '))`

const checkHarmless = async (t: ExecutionContext, page: Page, place: string): Promise<void> => {
  t.is(await page.evaluate('window.harmed'), undefined, place)
  t.deepEqual(await page.evaluate(LOOSE), [], place)
  t.deepEqual(await page.evaluate(TOO_WIDE), [], place)
}

const visit = async (t: ExecutionContext, { page }: Opened, url: string, texts: RegExp) => {
  await page.goto(url)
  await page.getByText(texts).first().waitFor({ state: 'attached' })
  await checkHarmless(t, page, url)
}

test('in Chromium hostile names, tags, descriptions and reasons do no harm on any screen', async (t, open) => {
  const service = await start(t)
  const { machine, person } = await fill(service)
  const admin = await open(service, 'admin')
  const { page } = admin
  page.on('dialog', () => t.fail('a dialog was opened'))
  const places = [
    ...['schedule', 'mine', 'book', 'machines', `machines/${machine}`],
    ...['activity', 'people', `people/${person}`, 'account', 'usage'],
  ]
  // A desktop, one with everything twice as large, a phone, and the narrowest window in which all must be reached.
  for (const [width, height] of [
    [1_440, 900],
    [720, 450],
    [390, 844],
    [320, 640],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const place of places) await visit(t, admin, `/#/${place}`, /onerror|exe|WWW/)
    await checkAccessible(t, page)
  }
  await page.setViewportSize({ width: 1_440, height: 900 })
  await page.goto('/#/schedule')
  await page.getByRole('gridcell', { name: /^You/ }).first().click()
  await page.getByRole('dialog').waitFor()
  await checkHarmless(t, page, 'the popover')
  await page.keyboard.press('Escape')
  await page
    .getByRole('gridcell', { name: /^Turnaround/ })
    .first()
    .click()
  await page.getByText(/^It is being reset until .*, after/).waitFor()
  await checkHarmless(t, page, 'a draft in a turnaround')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await hasFocus(page.getByRole('combobox'))
  await page.keyboard.type('bench')
  await page.getByRole('option').first().waitFor()
  await checkHarmless(t, page, 'the search')
  await page.keyboard.press('Escape')
  // The first one has emptied the field.
  await page.keyboard.press('Escape')
  await page.goto(`/#/machines/${machine}`)
  await page.getByRole('button', { name: 'Edit' }).first().click()
  await page.getByRole('dialog').waitFor()
  await checkHarmless(t, page, 'the form')
})

test('in Chromium a hostile name at sign-in, and what a machine says as it refuses, do no harm', async (t, open) => {
  const listenPort = await freePort()
  const environment = { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${listenPort}-${listenPort}` }
  const service = await start(t, { environment })
  const admin = service.as('admin')
  const name = MARKUP
  await admin.post('/api/user/create', { name, role: 'tester', password: passwordOf(name) })
  const sut = await startSut(t, (socket) => {
    const reason = Buffer.from(`${MARKUP}${BACKWARDS}`)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(reason.length)
    socket.write('RFB 003.008\n')
    socket.once('data', () => socket.write(Buffer.concat([Buffer.from([0]), length, reason])))
  })
  const machine = aSut({ name: `${MARKUP}${BACKWARDS}`, address: '127.0.0.1', port: sut.port, sut_type: 'vnc' })
  const sut_id = String((await admin.post('/api/sut/create', machine)).json._id)
  const opening = await open(service, undefined, 'complaints')
  const { page } = opening
  page.on('dialog', () => t.fail('a dialog was opened'))
  await page.goto('/')
  await signIn(opening, name, ATTRIBUTE)
  await page.getByRole('alert').waitFor()
  await checkHarmless(t, page, 'the refused sign-in')
  await checkAccessible(t, page)
  await signIn(opening, name)
  await accountOf(opening, name).waitFor()
  const window = { start_in: 0, duration: 3_600 }
  const made = await service.as(name).post('/api/sut_reservation/create', { sut_id, ...window })
  await opened({ service }, `/api/sut_reservation/${made.json._id}`, name)
  await page.goto(`/#/screen/${made.json._id}`)
  await page.getByText('The machine did not let you in').waitFor()
  await page.getByText('onerror').first().waitFor()
  await checkHarmless(t, page, 'the screen')
  await checkAccessible(t, page)
})

/** What a page of the machine tries to get, once it is open in the same browser. */
const theft = (service: string): string => `(async () => {
  const heard = []
  const channel = new BroadcastChannel('berth changes')
  channel.onmessage = ({ data }) => heard.push(data)
  const ask = (path, more) => fetch('${service}' + path, more).then(({ status }) => status, () => 'no answer')
  const frame = document.createElement('iframe')
  frame.src = '${service}/'
  document.body.append(frame)
  await new Promise((resolve) => { frame.onload = frame.onerror = resolve })
  let framed
  try { framed = String(frame.contentWindow.localStorage.length) } catch { framed = 'no access' }
  const me = await ask('/api/user/me', { credentials: 'include' })
  const opener = window.opener === null
  await new Promise((resolve) => setTimeout(resolve, 1500))
  return { cookie: document.cookie, kept: Object.keys(localStorage), heard, framed, me, opener, name: window.name, from: document.referrer }
})()`

test('in Chromium a web server on a machine gets no session, ticket or token of the page', async (t, open) => {
  const asked: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers)
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>machine</title><body>machine</body>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const listenPort = await freePort()
  const environment = { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${listenPort}-${listenPort}` }
  const service = await start(t, { environment })
  const { port } = server.address() as AddressInfo
  const machine = aSut({ name: 'web 1', address: '127.0.0.1', port, sut_type: 'tcp' })
  const sut_id = String((await service.as('admin').post('/api/sut/create', machine)).json._id)
  const alice = await open(service, undefined, 'complaints')
  await alice.page.goto('/')
  await signIn(alice, 'alice')
  await accountOf(alice, 'alice').waitFor()
  const made = await service.as('alice').post('/api/sut_reservation/create', { sut_id, start_in: 0, duration: 3_600 })
  await opened({ service }, `/api/sut_reservation/${made.json._id}`)
  const session = (await alice.page.evaluate('JSON.stringify(localStorage)')) as string
  t.true(session.includes('berth'), 'the page keeps its session where only its own origin reads')
  const other = await alice.page.context().newPage()
  await other.goto(`http://127.0.0.1:${listenPort}/`)
  const stolen = (await other.evaluate(theft(service.url))) as object
  t.like(stolen, { cookie: '', kept: [], heard: [], framed: 'no access', me: 'no answer', name: '', from: '' })
  // In the same tab, from the page itself.
  await alice.page.goto(`http://127.0.0.1:${listenPort}/`)
  t.like((await alice.page.evaluate(theft(service.url))) as object, { kept: [], me: 'no answer', from: '' })
  t.true(asked.length >= 2)
  for (const { authorization, cookie, referer } of asked) {
    t.deepEqual([authorization, cookie], [undefined, undefined])
    t.false(referer?.startsWith(service.url) ?? false)
  }
  t.false(JSON.stringify(asked).includes(passwordOf('alice')))
})
