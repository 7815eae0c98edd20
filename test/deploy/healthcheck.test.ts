import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { ROOT } from '../process/harness.ts'

/** The exit code of the image's check, with these variables. */
const check = async (env: Record<string, string>): Promise<number> => {
  const checking = promisify(execFile)(process.execPath, [join(ROOT, 'src/deploy/healthcheck.ts')], { env })
  return checking.then(
    () => 0,
    ({ code }: { code: number }) => code,
  )
}

const listen = async (t: ExecutionContext, host: string, status: number): Promise<string> => {
  const server = createServer((_, response) => void response.writeHead(status).end()).listen(0, host)
  t.teardown(() => void server.close())
  await once(server, 'listening')
  return String((server.address() as AddressInfo).port)
}

test('thorough: the check of the image asks where the service listens, whatever BERTH_HOST says', async (t) => {
  const [own, all] = [await listen(t, '127.0.0.3', 200), await listen(t, '0.0.0.0', 200)]
  t.deepEqual(
    await Promise.all([
      check({ BERTH_HOST: '127.0.0.3', BERTH_PORT: own }),
      check({ BERTH_HOST: '0.0.0.0', BERTH_PORT: all }),
      check({ BERTH_PORT: all }),
      check({ BERTH_HOST: '127.0.0.4', BERTH_PORT: own }),
    ]),
    [0, 0, 0, 1],
  )
})

test('the check of the image fails for a service that is not ready', async (t) => {
  t.is(await check({ BERTH_HOST: '127.0.0.3', BERTH_PORT: await listen(t, '127.0.0.3', 503) }), 1)
})
