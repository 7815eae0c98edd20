import test from 'ava'
import type { Logged } from '../../../src/domain/event.ts'
import type { RequestStatus } from '../../../src/domain/request/status.ts'
import { followEndings } from '../../../src/read-models/requests/endings.ts'
import type { Views } from '../../../src/read-models/views.ts'

const LONG = 600_000

const given = () => {
  const statuses = new Map<string, RequestStatus>()
  let listener: (events: readonly Logged[]) => void = () => undefined
  const endings = followEndings({
    newest: (_: string, id: string) => ({ document: JSON.stringify({ status: statuses.get(id) ?? 'waiting' }) }),
    watch: (listen: typeof listener) => {
      listener = listen
      return () => undefined
    },
  } as unknown as Views)
  return {
    endings,
    end: (type: string, _id: string, status: RequestStatus): void => {
      statuses.set(_id, status)
      listener([{ type, data: { _id } } as Logged])
    },
  }
}

test('waits are over when their request is granted, withdrawn or expires', async (t) => {
  const { endings, end } = given()
  const waits = ['a', 'b', 'c', 'a'].map((id) => endings.wait(id, LONG))
  end('RequestGranted', 'a', 'granted')
  end('RequestWithdrawn', 'b', 'withdrawn')
  end('RequestExpired', 'c', 'expired')
  await Promise.all(waits)
  await endings.wait('a', LONG)
  t.pass()
})

test('waits are over in time, at a stop, and at once where too many wait', async (t) => {
  const { endings } = given()
  await endings.wait('a', 1)
  const waits = Array.from({ length: 4_096 }, (_, n) => endings.wait(`${n}`, LONG))
  await endings.wait('one too many', LONG)
  endings.end()
  await Promise.all(waits)
  await endings.wait('later', LONG)
  t.pass()
})
