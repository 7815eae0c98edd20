import test from 'ava'
import type { EndKind } from '../../../projections/projection.ts'
import { followEndings } from '../../../src/read-models/requests/endings.ts'
import type { Views } from '../../../src/read-models/views.ts'

const LONG = 600_000

test('waits are over in time, at a stop, and at once where too many wait', async (t) => {
  const version = { document: '{}', ended: null }
  const endings = followEndings({ newest: () => version, watch: () => () => undefined } as unknown as Views)
  const wait = (id: string, within = LONG) => endings.wait('sut_request', { id, ...version }, within)
  await wait('a', 1)
  const waits = Array.from({ length: 4_096 }, (_, n) => wait(`${n}`))
  await wait('one too many')
  endings.end()
  await Promise.all(waits)
  await wait('later')
  t.pass()
})

test('a wait for a change of a reservation is over when something else is shown of it, and not at its start', async (t) => {
  const rows = new Map([['a', { document: '{"end_time":1}', ended: null as EndKind | null }]])
  let listener: (events: readonly [], changes: readonly { after: { id: string } }[]) => void = () => undefined
  const endings = followEndings({
    newest: (_: string, id: string) => rows.get(id),
    watch: (listen: typeof listener) => {
      listener = listen
      return () => undefined
    },
  } as unknown as Views)
  let isOver = false
  const wait = endings.wait('reservation', { id: 'a', document: '{"end_time":1}', ended: null }, LONG).then(() => {
    isOver = true
  })
  listener([], [{ after: { id: 'a' } }])
  await Promise.resolve()
  t.false(isOver)
  rows.set('a', { document: '{"end_time":1}', ended: 'cancelled' })
  listener([], [{ after: { id: 'a' } }])
  await wait
  t.true(isOver)
})
