import test from 'ava'
import { freePort } from '../gateway/peers.ts'
import { PASSWORD, startXvnc } from '../gateway/rfb/xvnc.ts'
import { passwordOf } from '../http/client.ts'
import { idOf, start } from '../http/harness.ts'
import { createSut } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { areInstalled } from '../tools.ts'
import { startFirefox, startWebKit } from './drivers.ts'

/** Milliseconds for a screen on a busy machine. */
const SOON = 60_000

const WATCH = `void (globalThis.faults = [],
  addEventListener('error', ({ message, target }) => faults.push(message ?? 'not loaded: ' + target.outerHTML), true),
  addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason))),
  addEventListener('securitypolicyviolation', ({ violatedDirective }) => faults.push(violatedDirective)),
  ['warn', 'error'].forEach((level) => { console[level] = (...said) => faults.push(said.join(' ')) }))`

const SIGN_IN = `void (document.querySelectorAll('form input').forEach((input, n) => {
    input.value = ['admin', '${passwordOf('admin')}'][n]
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }), setTimeout(() => document.querySelector('form button[type=submit]').click()))`

/** Whether a text is there, and nothing else is waited for or could not be read. */
const isShown = (text: string): string => `document.body.innerText.includes('${text}') &&
  document.querySelector('[aria-busy=true], [role=alert]:not([hidden])') === null`

const BROWSERS = { Firefox: ['firefox-esr', startFirefox], WebKit: ['WebKitWebDriver', startWebKit] } as const

for (const [name, [command, begin]] of Object.entries(BROWSERS))
  test(`in ${name} every screen is shown without an error`, async (t) => {
    t.timeout(600_000)
    if (!areInstalled(t, command, 'Xvnc')) return
    const listenPort = await freePort()
    const environment = { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${listenPort}-${listenPort}` }
    const service = await start(t, { environment })
    const admin = service.as('admin')
    const { port } = await startXvnc(t)
    const sut_id = await createSut(admin, { name: 'bench 1', address: '127.0.0.1', port, password: PASSWORD })
    const user_id = idOf('admin')
    const reserved = await admin.post('/api/sut_reservation/create', { sut_id, user_id, start_in: 0, duration: 3_600 })
    const { goTo, evaluate } = await begin(t)
    const shows = (text: string): Promise<void> =>
      until(`${name} shows ${text}`, async () => (await evaluate(isShown(text))) === true, SOON)
    await goTo(service.url)
    await evaluate(WATCH)
    await shows('Sign in')
    await evaluate(SIGN_IN)
    const screens = {
      ...{
        schedule: 'bench 1',
        mine: 'Running',
        book: 'Reserve any machine',
        machines: 'in use',
        activity: 'You reserved',
        usage: 'Hours a day',
      },
      ...{ people: 'alice', account: 'Your account', more: 'Guide', [`people/${user_id}`]: 'Your account' },
      ...{ [`machines/${sut_id}`]: 'Next 7 days', [`screen/${String(reserved.json._id)}`]: '320 × 200' },
    }
    for (const [place, text] of Object.entries(screens)) {
      await evaluate(`void (location.hash = '#/${place}')`)
      await shows(text)
    }
    t.deepEqual(await evaluate('faults'), [])
    await evaluate('void setTimeout(() => control())')
    await until('an error is noticed', async () => (await evaluate('faults.length')) === 1, SOON)
  })
