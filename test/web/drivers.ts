/** Browsers beside Chromium, by the protocols that they have themselves. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort, HOST } from '../gateway/peers.ts'
import { isListening, startXvnc } from '../gateway/rfb/xvnc.ts'
import { type Tidying, temporaryData } from '../http/harness.ts'
import { until } from '../http/until.ts'

export interface Driven {
  readonly goTo: (url: string) => Promise<unknown>
  /** The value of an expression in the page, as JSON has it. */
  readonly evaluate: (expression: string) => Promise<unknown>
}

/** Milliseconds on a busy machine. */
const START_WITHIN = 60_000

const started = async (t: Tidying, port: number, process: ChildProcess): Promise<void> => {
  t.teardown(async () => {
    if (process.exitCode === null && process.kill()) await once(process, 'exit')
  })
  await until('the browser', () => isListening(port), START_WITHIN)
}

/** Firefox, by WebDriver BiDi. */
export const startFirefox = async (t: Tidying): Promise<Driven> => {
  const port = await freePort()
  const args = ['--headless', '--no-remote', '--profile', await temporaryData(t), `--remote-debugging-port=${port}`]
  await started(t, port, spawn('firefox-esr', args, { stdio: 'ignore' }))
  const socket = new WebSocket(`ws://${HOST}:${port}/session`)
  await once(socket, 'open')
  let last = 0
  const call = async (method: string, params: object) => {
    const id = ++last
    socket.send(JSON.stringify({ id, method, params }))
    for (;;) {
      const [{ data }] = (await once(socket, 'message')) as [MessageEvent<string>]
      const answer = JSON.parse(data)
      if (answer.id === id) return answer.result
    }
  }
  await call('session.new', { capabilities: {} })
  const { contexts } = await call('browsingContext.getTree', {})
  const [{ context }] = contexts
  return {
    goTo: (url) => call('browsingContext.navigate', { context, url, wait: 'complete' }),
    evaluate: async (expression) => {
      const asked = { target: { context }, awaitPromise: true, expression: `JSON.stringify(${expression}) ?? 'null'` }
      return JSON.parse((await call('script.evaluate', asked)).result.value)
    },
  }
}

/** WebKit, by WebDriver, which has no display of its own. */
export const startWebKit = async (t: Tidying): Promise<Driven> => {
  const { port: display } = await startXvnc(t)
  const port = await freePort()
  const env = { ...process.env, DISPLAY: `:${display}` }
  await started(t, port, spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' }))
  const call = async (path: string, body: object) => {
    const answer = await fetch(`http://${HOST}:${port}/session${path}`, { method: 'POST', body: JSON.stringify(body) })
    return ((await answer.json()) as { value: { sessionId: string } }).value
  }
  const { sessionId } = await call('', { capabilities: {} })
  return {
    goTo: (url) => call(`/${sessionId}/url`, { url }),
    evaluate: (expression) => call(`/${sessionId}/execute/sync`, { script: `return ${expression}`, args: [] }),
  }
}
