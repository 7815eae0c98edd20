import test, { type ExecutionContext } from 'ava'
import { temporaryData } from '../http/harness.ts'
import { serve } from '../process/harness.ts'

/** Whether a service has loaded undici when it ends, after it has run some code. */
const seenAtExit = async (t: ExecutionContext, code: string): Promise<unknown> => {
  const print = `console.error(process.moduleLoadList.some((name) => name.includes('undici')))`
  const module = `data:text/javascript,process.on('exit', () => { ${code}; ${print} })`
  const service = await serve(t, { data: await temporaryData(t), node: ['--import', module] })
  await service.stop()
  return JSON.parse(service.errors())
}

test("a service does without Node's HTTP client, which would take a tenth of its start", async (t) => {
  t.false(await seenAtExit(t, ''))
})

test('control: a service that looks for a WebSocket has loaded it', async (t) => {
  t.true(await seenAtExit(t, 'globalThis.WebSocket'))
})
