import test, { type ExecutionContext } from 'ava'
import { makeDeadlines } from '../../src/gateway/worker/deadlines.ts'
import { until } from '../http/until.ts'
import { SOON, startForwarded } from './harness.ts'
import { connectTo } from './peers.ts'

/** A gateway with one connection open that ends in so many milliseconds. */
const open = async (t: ExecutionContext, milliseconds: number | null) => {
  const opened = await startForwarded(t, { forwarding: { until: null } })
  const client = await connectTo(t, opened.listenPort)
  const machine = await opened.sut.accepted()
  await opened.see('the connection', ({ connected }) => connected.length === 1)
  const end = Date.now() + (milliseconds ?? 0)
  const forwarding = { ...opened.forwarding, until: milliseconds === null ? null : end }
  await opened.gateway.open(forwarding)
  return { ...opened, forwarding, client, machine, end }
}

/** Deadlines by clocks that only the test moves; timers are real. */
const deadlines = (t: ExecutionContext) => {
  const clock = { wall: 1_000_000_000, steady: 50 }
  const over: string[] = []
  const made = makeDeadlines((id) => over.push(id), { wall: () => clock.wall, steady: () => clock.steady })
  t.teardown(made.stop)
  const pass = (milliseconds: number): void => {
    clock.wall += milliseconds
    clock.steady += milliseconds
  }
  return { clock, over, made, pass }
}

/** Blocks this thread. */
const block = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

test.serial('connections are reset on both sides at the end, even while the main thread is busy', async (t) => {
  const { client, machine, reported, forwarding, see, end } = await open(t, 700)
  block(2_500)
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  t.is(await client.ending, 'reset')
  t.is(await machine.ending, 'reset')
  const [{ cause, at } = { cause: '', at: 0 }] = reported.disconnected
  t.is(cause, 'over')
  t.true(at >= end && at < end + 1_000, `${at - end} ms after the end`)
  const late = await connectTo(t, forwarding.listenPort)
  t.is(await late.ending, 'reset', 'the port is closed')
})

test('an extension moves the end, and the connection stays open', async (t) => {
  const { gateway, client, machine, forwarding, see, end, reported } = await open(t, 500)
  t.true(await gateway.open({ ...forwarding, until: end + 2_000 }))
  await until('the former end', async () => Date.now() > end + 200, SOON)
  client.socket.write('x')
  t.is((await machine.take(1)).toString(), 'x')
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  const [{ at } = { at: 0 }] = reported.disconnected
  t.true(at >= end + 2_000 && at < end + 3_000, `${at - end} ms after the first end`)
})

test('nothing is cut without an end, or with one more than 25 days ahead', async (t) => {
  for (const far of [null, 40 * 86_400_000]) {
    const { gateway, client, machine, forwarding } = await open(t, far)
    await until('a moment', async () => Date.now() > 0, 100)
    client.socket.write('x')
    await machine.take(1)
    t.true(await gateway.open({ ...forwarding, until: null }))
    client.socket.write('x')
    await machine.take(1)
    t.false(client.socket.destroyed)
  }
})

test('an end at which timers overflow sets none that does', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const { clock, made } = deadlines(t)
  made.set('a', clock.wall + 40 * 86_400_000)
  await new Promise(setImmediate)
  t.deepEqual(warnings, [])
  clearTimeout(setTimeout(() => undefined, 40 * 86_400_000))
  await new Promise(setImmediate)
  t.deepEqual(warnings, ['TimeoutOverflowWarning'], 'control')
})

test('an end that has passed frees the port at once', async (t) => {
  const { gateway, forwarding, client } = await open(t, null)
  t.false(await gateway.open({ ...forwarding, until: Date.now() - 1 }))
  t.is(await client.ending, 'reset')
})

test('a stop resets all connections and has reported them when it resolves', async (t) => {
  const { gateway, client, reported } = await open(t, null)
  await gateway.stop()
  t.is(reported.disconnected[0]?.cause, 'stopped')
  t.is(await client.ending, 'reset')
})

test('setting the clock by an hour neither ends nor extends a reservation', (t) => {
  for (const step of [3_600_000, -3_600_000]) {
    const { clock, made, pass } = deadlines(t)
    made.set('a', clock.wall + 10_000)
    clock.wall += step
    t.false(made.isOver('a'))
    pass(9_999)
    t.false(made.isOver('a'))
    pass(1)
    t.true(made.isOver('a'))
  }
})

test('setting the clock by less than a minute moves the end', (t) => {
  const { clock, made } = deadlines(t)
  made.set('a', clock.wall + 10_000)
  clock.wall += 10_000
  t.true(made.isOver('a'))
})
