import { isLinux, type Server, withServers } from '../measure/processes.ts'
import { type Alternation, alternate, rowOf, type Samplers, type Taken } from '../measure/sampling.ts'
import type { Row, TableRow } from '../measure/table.ts'
import { checkEcho, checkLog, checkPeer } from '../scale/checks.ts'
import { perSecond } from '../servers/berth.ts'
import { CONNECTIONS, ECHO, makeCreator, type Setting, startBerth } from '../servers/creating.ts'
import { hindrance, PEER_LIST, type Peer, type PeerName } from '../servers/peers.ts'

/** Durable creates compared with an echo of the same body, and with alternatives. */

/**
 * At first a create takes twice the CPU, until the engine has compiled its code: about ten samples of a second. The
 * others have less code and need fewer. Services run for weeks, so only the later samples count.
 */
const WARM_UP = 10

type Name = 'berth' | 'echo' | PeerName

const toPeer = ({ title, bounds }: Peer): Omit<Row, 'figures'> => ({
  what: `durable creates, ${CONNECTIONS} connections, to ${title}`,
  ...bounds,
})

const ratiosOf = (alternation: Alternation<Name>, peers: readonly Peer[]): readonly TableRow[] => [
  rowOf(
    alternation,
    {
      what: `durable creates, ${CONNECTIONS} connections, to the echo`,
      must: { least: 0.6 },
      aim: { least: 0.75 },
    },
    ({ berth, echo }) => perSecond(berth) / perSecond(echo),
  ),
  ...peers.map((peer) =>
    rowOf(alternation, toPeer(peer), (round) => perSecond(round.berth) / perSecond(round[peer.name])),
  ),
  rowOf(
    alternation,
    { what: 'p99 of these creates to p99 of the echo', must: { most: 3 }, aim: { most: 2 } },
    ({ berth, echo }) => berth.p99 / echo.p99,
  ),
]

const absolutesOf = (alternation: Alternation<Name>, peers: readonly Peer[]): readonly TableRow[] => {
  const cpu = (who: string, name: Name): TableRow => {
    const of = ({ cpu, requests }: Taken): number => cpu / requests
    return rowOf(alternation, { what: `CPU of a create, ${who}`, unit: 'us', digits: 0 }, (round) => of(round[name]))
  }
  return [
    rowOf(alternation, { what: 'durable creates', unit: 'a second', digits: 0 }, ({ berth }) => perSecond(berth)),
    rowOf(alternation, { what: 'echoes', unit: 'a second', digits: 0 }, ({ echo }) => perSecond(echo)),
    ...(isLinux
      ? [
          cpu('Berth', 'berth'),
          cpu('the echo', 'echo'),
          ...peers.map(({ title, name }) => cpu(`${title}, all its processes`, name)),
        ]
      : []),
  ]
}

export const createRows = (setting: Setting) =>
  withServers(async (start): Promise<readonly TableRow[]> => {
    const notRun = hindrance()
    const peers = notRun === undefined ? PEER_LIST : []
    const berth = await startBerth(start, 'creates', setting)
    const creatorOn = (server: Server) => ({ server, creator: makeCreator(server, { ...berth, ...setting }) })
    const echo = creatorOn(await start([ECHO], {}))
    const started = new Map<PeerName, ReturnType<typeof creatorOn>>()
    for (const { name, args } of peers) started.set(name, creatorOn(await start(args, {})))
    const samplers = Object.fromEntries(
      [['berth', berth] as const, ['echo', echo] as const, ...started].map(([name, { creator }]) => [
        name,
        () => creator.sample(),
      ]),
    )
    const alternation = await alternate(samplers as Samplers<Name>, { ...setting, warmUp: WARM_UP })
    setting.say(`Berth: ${checkLog(berth.data, berth.creator.answered())}`)
    for (const [name, { server, creator }] of started) {
      setting.say(`${name}: ${await checkPeer(server, creator.answered())}`)
    }
    await checkEcho(echo.server)
    const missing =
      notRun === undefined ? [] : PEER_LIST.map((peer): TableRow => ({ ...toPeer(peer), figures: [], notRun }))
    return [...ratiosOf(alternation, peers), ...missing, ...absolutesOf(alternation, peers)]
  })
