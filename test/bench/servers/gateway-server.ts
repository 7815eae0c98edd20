import { openGateway } from '../../../src/gateway/gateway.ts'

/** A gateway on its own: forwards the ports given as `listenPort:port`, and prints the first. */
const host = '127.0.0.1'
const ignore = (): void => undefined
const gateway = openGateway(
  { host, connectionsOfOneMax: 4_096 },
  {
    admit: () => ({ admitted: true, isBound: true, hasPassword: false }),
    answerChallenge: ignore as () => undefined,
    onCounted: () => undefined,
    onConnected: ignore,
    onDisconnected: ignore,
    onRefused: ignore,
    onUndecided: ignore,
    onFailed: ignore,
    onPortTaken: ignore,
    onPortOpened: ignore,
    onThreadFailed: (error) => {
      throw error
    },
  },
)
const pairs = process.argv.slice(2).map((pair) => pair.split(':').map(Number) as [number, number])
for (const [listenPort, port] of pairs) {
  const common = { host, protocol: 'tcp' } as const
  await gateway.open({ ...common, reservationId: String(listenPort), listenPort, port })
}
process.stdout.write(`${JSON.stringify({ url: `tcp://${host}:${pairs[0]?.[0]}` })}\n`)
// Keeps the process alive: the gateway's thread does not.
setInterval(ignore, 1_000_000)
