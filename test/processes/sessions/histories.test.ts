/** Random histories of connections, compared with a naive model. */

import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { rounds } from '../../thorough.ts'
import { HERE, MINUTE, stage, type Trouble } from './stage.ts'

const CAUSES = ['client', 'sut', 'released'] as const

type Step =
  | { readonly does: 'connect' | 'disconnect'; readonly which: number; readonly cause: (typeof CAUSES)[number] }
  | { readonly does: 'wait'; readonly milliseconds: number }
  | { readonly does: 'trouble'; readonly trouble: Trouble | undefined }
  | { readonly does: 'crash' }

const arbitraryStep = (withCrashes: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constantFrom('connect' as const, 'connect' as const, 'disconnect' as const),
        which: fc.nat(99),
        cause: fc.constantFrom('client' as const, 'client' as const, ...CAUSES),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        does: fc.constant('wait' as const),
        milliseconds: fc.oneof(fc.nat(20_000), fc.constantFrom(MINUTE - 1, MINUTE, 2 * MINUTE)),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        does: fc.constant('trouble' as const),
        trouble: fc.constantFrom('unavailable' as const, 'unknown' as const, undefined, undefined),
      }),
    },
    { weight: withCrashes ? 1 : 0, arbitrary: fc.record({ does: fc.constant('crash' as const) }) },
  )

/** A session as the model expects it. */
interface Expected {
  readonly reservation: string
  readonly opened: number
  closed: number
  connections: number
  bytes: number
  cause: string
  open: number
  isOver: boolean
}

interface Open {
  readonly connection: number
  readonly reservation: string
}

type Stage = Awaited<ReturnType<typeof stage>>

const RESERVATIONS = 3

/** Plays steps on the process and on the model, and ends everything. */
const play = async (subject: Stage, steps: readonly Step[]) => {
  const { reserve, run, pass, now, setTrouble } = subject
  const reservations = await Promise.all(Array.from({ length: RESERVATIONS }, reserve))
  let process = run(HERE)
  let open: Open[] = []
  let last = 0
  const expected: Expected[] = []
  const current = (reservation: string) => expected.findLast((each) => each.reservation === reservation && !each.isOver)

  const connect = (which: number): void => {
    const reservation = reservations[which % RESERVATIONS] as string
    process.connected(++last, reservation)
    open.push({ connection: last, reservation })
    const session = current(reservation)
    const isNew = session === undefined || (session.open === 0 && now() - session.closed >= MINUTE)
    if (isNew) {
      const counts = { connections: 1, bytes: 0, open: 1 }
      expected.push({ reservation, opened: now(), closed: 0, cause: '', isOver: false, ...counts })
    } else {
      session.connections++
      session.open++
    }
  }
  const disconnect = (which: number, cause: string): void => {
    const gone = open[which % Math.max(1, open.length)]
    if (gone === undefined) return
    // A release cuts all of them.
    for (const one of cause === 'released'
      ? open.filter(({ reservation }) => reservation === gone.reservation)
      : [gone]) {
      open = open.filter((other) => other !== one)
      process.disconnected(one.connection, one.reservation, { cause: cause as 'client', bytesToSut: one.connection })
      const session = current(one.reservation) as Expected
      session.open--
      session.bytes += one.connection
      session.closed = now()
      session.cause = cause
      if (session.open === 0 && cause === 'released') session.isOver = true
    }
  }

  for (const step of steps) {
    if (step.does === 'connect') connect(step.which)
    else if (step.does === 'disconnect') disconnect(step.which, step.cause)
    else if (step.does === 'trouble') setTrouble(step.trouble)
    else if (step.does === 'wait') {
      pass(step.milliseconds)
      await process.tick()
    } else {
      await process.crash()
      open = []
      process = run(HERE, process.file.kept)
    }
  }
  setTrouble(undefined)
  for (const { reservation } of open)
    for (let n = 0; n < open.length; n++) if (current(reservation)) disconnect(n, 'client')
  while (open.length > 0) disconnect(0, 'client')
  pass(MINUTE)
  await process.tick()
  await process.finish()
  return { process, expected }
}

/** What is wrong with the openings and closes in a log. */
const faultsOf = async ({ events }: Stage): Promise<readonly string[]> => {
  const counts = new Map<string, { opened: number; closed: number }>()
  for (const event of await events()) {
    if (event.type !== 'SessionOpened' && event.type !== 'SessionClosed') continue
    const { _id } = event.data
    const count = counts.get(_id) ?? { opened: 0, closed: 0 }
    counts.set(_id, count)
    if (event.type === 'SessionOpened') count.opened++
    else count.closed++
  }
  return [...counts]
    .filter(([, { opened, closed }]) => opened !== 1 || closed !== 1)
    .map(([id, { opened, closed }]) => `${id} was opened ${opened} times and closed ${closed} times`)
}

/** What differs between the log and the model. */
const differencesOf = async (subject: Stage, expected: readonly Expected[]): Promise<readonly string[]> => {
  const written = (await subject.closed()).map(
    ({ reservation_id, opened_at, closed_at, connections, bytes_to_sut, cause }) =>
      [reservation_id, Date.parse(opened_at), Date.parse(closed_at), connections, bytes_to_sut, cause].join(' '),
  )
  const wanted = expected.map(({ reservation, opened, closed, connections, bytes, cause }) =>
    [reservation, opened, closed, connections, bytes, cause].join(' '),
  )
  return [
    ...wanted.filter((one) => !written.includes(one)).map((one) => `missing: ${one}`),
    ...written.filter((one) => !wanted.includes(one)).map((one) => `not expected: ${one}`),
  ]
}

const arbitrarySteps = (withCrashes: boolean) => fc.array(arbitraryStep(withCrashes), { minLength: 5, maxLength: 60 })

const check = (t: ExecutionContext, withCrashes: boolean, numRuns: number): Promise<readonly string[]> =>
  fc
    .check(
      fc.asyncProperty(arbitrarySteps(withCrashes), async (steps) => {
        const subject = await stage(t)
        const { expected } = await play(subject, steps)
        const faults = [...(await faultsOf(subject)), ...(withCrashes ? [] : await differencesOf(subject, expected))]
        if (faults.length > 0) throw new Error(faults.join('\n'))
      }),
      { numRuns, seed: 590_780 },
    )
    .then(({ failed, errorInstance, counterexample }) =>
      failed ? [`${(errorInstance as Error).message}\n${JSON.stringify(counterexample)}`] : [],
    )

test('every session is opened once and closed once, and connections and bytes add up', async (t) => {
  t.timeout(240_000)
  t.deepEqual(await check(t, false, rounds(5, 60)), [])
})

test('every session is opened once and closed once, whatever crashes and outages there are', async (t) => {
  t.timeout(240_000)
  t.deepEqual(await check(t, true, rounds(5, 60)), [])
})
