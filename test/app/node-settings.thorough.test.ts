import test from 'ava'
import { temporaryData } from '../http/harness.ts'
import { serve } from '../process/harness.ts'

test("a service does without Node's HTTP client, which would take a tenth of its start", async (t) => {
  const print = `console.error(process.moduleLoadList.some((name) => name.includes('undici')))`
  const module = `data:text/javascript,process.on('exit', () => { ${print} })`
  const service = await serve(t, { data: await temporaryData(t), node: ['--import', module] })
  await service.stop()
  t.is(service.errors().trim(), 'false')
})
