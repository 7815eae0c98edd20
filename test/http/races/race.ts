import { setImmediate as turn } from 'node:timers/promises'
import { basic } from '../client.ts'
import { idOf, type Running } from '../harness.ts'
import { aReservation, createSut } from '../requests.ts'
import { openRaw, type RawAnswer, type RawConnection } from '../server/raw-http.ts'

export interface Race {
  /** On one store. The clients are spread over them. */
  readonly services: readonly [Running, ...Running[]]
  readonly clients: number
  /** At most 30,000, because consecutive windows must be within the horizon. */
  readonly rounds: number
}

export interface Tally {
  readonly accepted: number
  readonly refused: number
  /** The first five rounds that did not end with one winner whom every refusal names. */
  readonly faults: readonly string[]
}

const requestFor = (sut: string, round: number, client: number, from: number): string => {
  const start = from + round * 900_000
  const user_id = idOf(client % 2 === 0 ? 'alice' : 'bob')
  const ends = { start_time: new Date(start).toISOString(), end_time: new Date(start + 900_000).toISOString() }
  const body = JSON.stringify(aReservation(sut, { user_id, ...ends }))
  const head = [
    'POST /api/sut_reservation/create HTTP/1.1',
    'Host: berth',
    `Authorization: ${basic('admin')}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** Sends every request except its last byte, then all last bytes at once. */
const releaseTogether = async (
  connections: readonly RawConnection[],
  requests: readonly string[],
): Promise<readonly (RawAnswer | undefined)[]> => {
  connections.forEach((connection, i) => {
    connection.send(requests[i]?.slice(0, -1) ?? '')
  })
  await turn()
  connections.forEach((connection, i) => {
    connection.send(requests[i]?.slice(-1) ?? '')
  })
  return Promise.all(connections.map((connection) => connection.answer()))
}

const conflictIds = ({ json }: RawAnswer): string =>
  (json.conflicts as readonly { readonly _id: string }[] | undefined)?.map(({ _id }) => _id).join() ?? 'nobody'

/** The fault in the answers of a round. Undefined if there is one winner whom all other answers name. */
const faultOf = (answers: readonly (RawAnswer | undefined)[]): string | undefined => {
  const winners = answers.filter((answer) => answer?.status === 201)
  const winner = String(winners[0]?.json._id)
  const losers = answers.filter((answer) => answer?.status === 409 && conflictIds(answer) === winner)
  if (winners.length === 1 && losers.length === answers.length - 1) return undefined
  return answers.map((answer) => answer && `${answer.status} ${answer.json._id ?? conflictIds(answer)}`).join('; ')
}

/** In each round all clients request the same window at the same moment. */
export const race = async ({ services, clients, rounds }: Race): Promise<Tally> => {
  const [first] = services
  const sut = await createSut(first.as('admin'))
  const portOf = (client: number): number => services[client % services.length]?.port ?? first.port
  const connections = await Promise.all(Array.from({ length: clients }, (_, client) => openRaw(portOf(client))))
  const tomorrow = (Math.floor(first.clock.now() / 86_400_000) + 1) * 86_400_000
  const faults: string[] = []
  let [accepted, refused] = [0, 0]
  try {
    for (let round = 0; round < rounds; round++) {
      const requests = connections.map((_, client) => requestFor(sut, round, client, tomorrow))
      const answers = await releaseTogether(connections, requests)
      accepted += answers.filter((answer) => answer?.status === 201).length
      refused += answers.filter((answer) => answer?.status === 409).length
      const fault = faultOf(answers)
      if (fault !== undefined && faults.length < 5) faults.push(`round ${round}: ${fault}`)
    }
  } finally {
    for (const connection of connections) connection.close()
  }
  return { accepted, refused, faults }
}
