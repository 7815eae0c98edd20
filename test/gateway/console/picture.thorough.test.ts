/** A picture of a real VNC server with a viewer that is not ours, noVNC, in a real browser. */

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { areInstalled } from '../../tools.ts'
import { inChromium } from '../../web/stage.ts'
import { PASSWORD, startXvnc } from '../rfb/xvnc.ts'
import { forwarding, running, ticketFor } from './stage.ts'

/** Milliseconds for a browser on a busy machine. */
const WITHIN = 60_000
const COLOUR = [32, 96, 160] as const

const noVnc = dirname(dirname(fileURLToPath(import.meta.resolve('@novnc/novnc'))))

/** Opens a console with noVNC, which has no password to offer. */
const view = (url: string): string => `(async () => {
  document.body.innerHTML = '<div id="screen" style="width: 320px; height: 200px"></div>'
  const { default: RFB } = await import('/viewer/core/rfb.js')
  const address = new URL(${JSON.stringify(url)}, location.href.replace(/^http/, 'ws'))
  const rfb = new RFB(document.getElementById('screen'), address.href, { wsProtocols: ['binary'] })
  for (const name of ['connect', 'disconnect', 'credentialsrequired', 'securityfailure']) {
    rfb.addEventListener(name, () => { document.title = name })
  }
})()`

/** Opens a page of the service, whose origin alone may open consoles, and serves the viewer beside it. */
const openPage = async (page: Page): Promise<void> => {
  const isAdded = ({ pathname }: URL): boolean => pathname.startsWith('/viewer/') || pathname === '/favicon.ico'
  await page.route(isAdded, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/favicon.ico') return route.fulfill({ status: 204 })
    const body = await readFile(join(noVnc, pathname.slice('/viewer/'.length)))
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  await page.goto('/health/live')
}

const shows = (colour: readonly number[]): string => `(() => {
  const canvas = document.querySelector('#screen canvas')
  if (document.title !== 'connect' || canvas === null || canvas.width !== 320) return false
  const pixel = canvas.getContext('2d').getImageData(160, 100, 1, 1).data
  return ${JSON.stringify(colour)}.every((value, n) => Math.abs(pixel[n] - value) <= 4)
})()`

const showsScreen = 'noVNC in Chromium shows the screen of a TigerVNC server without knowing its password'

inChromium(showsScreen, async (t, open) => {
  if (!areInstalled(t, 'Xvnc', 'xsetroot')) return
  const { port } = await startXvnc(t)
  const colour = `rgb:${COLOUR.map((value) => value.toString(16).padStart(2, '0')).join('/')}`
  await promisify(execFile)('xsetroot', ['-display', `:${port}`, '-solid', colour])
  const stage = await forwarding(t, { port, password: PASSWORD })
  const path = await running(stage)
  const { page } = await open(stage.service)
  await openPage(page)
  await page.evaluate(view(await ticketFor(stage, path)))
  await page.waitForFunction(shows(COLOUR), undefined, { timeout: WITHIN })
  t.is(await page.title(), 'connect')
  t.false(await page.evaluate<boolean>(shows([200, 96, 160])), 'control: another colour is not shown')
  await stage.service.as('alice').request('POST', `${path}/cancel`)
  await page.waitForFunction(`document.title === 'disconnect'`, undefined, { timeout: WITHIN })
})
