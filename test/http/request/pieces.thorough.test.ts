import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { basic } from '../client.ts'
import { start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { openRaw } from '../server/raw-http.ts'

test('a short body in too many packets is refused, and its connection answers the next request', async (t) => {
  // Beside other tests it takes longer to send than a request may take.
  const service = await start(t, { timeouts: { request: 120_000 } })
  const connection = await openRaw(service.port)
  t.teardown(connection.close)
  // Some packets arrive together.
  const size = 12_000
  connection.send(
    `POST /api/sut/58c38f5d444553252cce0000/update HTTP/1.1\r\nHost: berth\r\nAuthorization: ${basic('admin')}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
  )
  for (let n = 0; n < size; n++) {
    connection.send(' ')
    await turn()
    await turn()
  }
  const answer = await connection.answer()
  if (answer === undefined) return t.fail('closed without an answer')
  t.deepEqual([...refusalOf(answer), ...faultsOf(answer)], [413, 'body_too_large'])
  connection.send('GET /health/live HTTP/1.1\r\nHost: berth\r\n\r\n')
  t.is((await connection.answer())?.status, 200)
})
