import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { until } from '../http/until.ts'
import { SOON, startGateway } from './harness.ts'
import { connectTo, freePort, HOST, startSut } from './peers.ts'
import { areInstalled } from './rfb/xvnc.ts'
import { startElsewhere } from './vanishing.ts'

/** Long enough that a busy machine comes back before. */
const OPTIONS = { host: '0.0.0.0', stuckAfterMs: 4_000, countEveryMs: 50 }

/** Says something all the time, as screens do. */
const talk = (socket: Socket): void => {
  const timer = setInterval(() => socket.write('x'), 20)
  socket.once('close', () => clearInterval(timer))
}

/** A machine for one viewer: while it has one, it does not listen or closes others at once. */
const startOneViewer = async (t: ExecutionContext, refuses: 'by not listening' | 'by closing') => {
  const port = await freePort()
  let viewer: Socket | undefined
  let isOver = false
  const listen = () => server.listen({ port, host: HOST })
  const server = createServer((socket) => {
    if (viewer !== undefined) return void socket.end()
    viewer = socket
      .on('error', () => undefined)
      .once('close', () => {
        viewer = undefined
        if (refuses === 'by not listening' && !isOver) listen()
      })
    talk(socket)
    if (refuses === 'by not listening') server.close()
  })
  listen()
  await once(server, 'listening')
  t.teardown(() => {
    isOver = true
    server.close()
    viewer?.destroy()
  })
  return port
}

/** A holder who is connected and then vanishes. */
const vanishFrom = async (t: ExecutionContext, { forward, see }: ReturnType<typeof startGateway>, port: number) => {
  const elsewhere = startElsewhere(t)
  if (elsewhere === undefined) return undefined
  const { listenPort } = await forward(port)
  elsewhere.connect(listenPort)
  await see('the connection', ({ counted }) => (counted.at(-1)?.bytesFromSut ?? 0) > 10)
  elsewhere.vanish()
  return { listenPort }
}

/** Connects until something comes. */
const connectAgain = (t: ExecutionContext, { listenPort }: { readonly listenPort: number }): Promise<void> =>
  until(
    'a connection that is let in',
    async () => {
      const again = await connectTo(t, listenPort)
      return again.take(1).then(
        () => true,
        () => again.socket.destroy() === undefined,
      )
    },
    SOON,
  )

for (const refuses of ['by not listening', 'by closing'] as const)
  test(`a machine that refuses ${refuses} has room again for a holder whose connection is stuck`, async (t) => {
    if (!areInstalled(t, 'ip', 'socat')) return
    const opened = startGateway(t, OPTIONS)
    const vanished = await vanishFrom(t, opened, await startOneViewer(t, refuses))
    if (vanished === undefined) return
    await connectAgain(t, vanished)
    const [first] = opened.reported.connected
    const ended = opened.reported.disconnected.find(({ connection }) => connection === first?.connection)
    t.is(ended?.cause, 'client')
    t.true((ended?.at ?? 0) - (first?.at ?? 0) >= OPTIONS.stuckAfterMs)
  })

for (const limit of [{ connectionsOfOneMax: 1 }, { connectionsMax: 1 }])
  test(`at ${Object.keys(limit)} a new connection takes the place of one that is stuck`, async (t) => {
    if (!areInstalled(t, 'ip', 'socat')) return
    const opened = startGateway(t, { ...OPTIONS, ...limit })
    const vanished = await vanishFrom(t, opened, (await startSut(t, talk)).port)
    if (vanished === undefined) return
    await connectAgain(t, vanished)
    t.true((opened.reported.refused[limit.connectionsMax ? 'full' : 'too_many'] ?? 0) > 0, 'not before it is stuck')
    t.is(await (await connectTo(t, vanished.listenPort)).ending, 'reset', 'the new one is not stuck')
  })
