import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { HOST } from '../../gateway/peers.ts'
import type { Answer, Client } from '../../http/client.ts'
import type { Random } from '../random.ts'

/** Requests about reservations of the next hours, and visitors of the ports of those that run. */

export interface SessionTarget {
  readonly client: Client
  readonly suts: readonly string[]
  readonly ports: readonly number[]
  readonly user: string
  /** The service's clock, in Unix milliseconds. */
  readonly now: () => number
}

/** Connects; undefined if it is refused or cut before the SUT has answered. */
export const reach = async (port: number): Promise<Socket | undefined> => {
  const socket = connect(port, HOST)
  socket.on('error', () => undefined)
  socket.write('hello')
  const isAnswered = await new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true))
    socket.once('close', () => resolve(false))
  })
  return isAnswered ? socket : undefined
}

const QUARTER = 900_000
/** Quarters ahead in which a reservation may begin. */
const AHEAD = 5
const REQUESTS = 6
const VISITORS = 2
/** Connections that a visitor tries, and milliseconds between them. */
const VISITS = 20
const VISIT_EVERY = 10

/** A window that begins now or within the next quarters, and lasts up to an hour. */
const aWindow = (random: Random, now: number): object => {
  const quarters = 1 + random.below(4)
  if (random.below(3) === 0) return { start_in: 0, duration: quarters * 900 }
  const start = (Math.floor(now / QUARTER) + 1 + random.below(AHEAD)) * QUARTER
  const [start_time, end_time] = [start, start + quarters * QUARTER].map((time) => new Date(time).toISOString())
  return { start_time, end_time }
}

/** Conflicts, reservations that are over, and extensions to an earlier end are part of the load. */
const isExpected = ({ status, json }: Answer): boolean =>
  [200, 201, 409, 410].includes(status) || json.code === 'end_not_later'

/** Loads the service until it is gone. */
export const startSessionLoad = (target: SessionTarget, random: Random) => {
  const { client, suts, ports, user, now } = target
  const made: string[] = []
  /** Answers that should not have been given. */
  const problems: string[] = []
  let [answers, connections] = [0, 0]
  const waiting = Promise.withResolvers<void>()
  let awaited = Number.POSITIVE_INFINITY

  const ask = (): ReturnType<Client['post']> => {
    const dice = random.below(16)
    const sut_id = random.oneOf(suts)
    const path = `/api/sut_reservation/${made[random.below(made.length)]}`
    if (dice < 3) return client.post(`/api/sut/${sut_id}/update`, { description: random.hex(16) })
    if (dice === 3 && made.length > 0) return client.post(`${path}/cancel`, {})
    if (dice === 4 && made.length > 0) return client.post(`${path}/extend`, { duration: (2 + random.below(5)) * 900 })
    return client.post('/api/sut_reservation/create', { sut_id, user_id: user, ...aWindow(random, now()) })
  }
  const request = async (): Promise<void> => {
    for (;;) {
      try {
        const answer = await ask()
        if (answer.status === 201) made.push(String(answer.json._id))
        if (!isExpected(answer)) problems.push(`answered ${answer.status}: ${answer.text}`)
      } catch {
        return
      }
      if (++answers >= awaited) waiting.resolve()
    }
  }
  let isOver = false
  const visit = async (): Promise<void> => {
    for (let visits = 0; visits < VISITS && !isOver; visits++) {
      connections++
      const socket = await reach(random.oneOf(ports))
      if (random.below(2) === 0) socket?.end()
      await delay(VISIT_EVERY)
    }
  }
  const requests = Promise.all(Array.from({ length: REQUESTS }, request)).then(() => {
    isOver = true
  })
  const ended = Promise.all([requests, ...Array.from({ length: VISITORS }, visit)]).then(() => undefined)
  return {
    /** Resolves after this many answers, or when the load ends. */
    answered: (count: number): Promise<void> => {
      awaited = count
      return Promise.race([waiting.promise, ended])
    },
    /** Resolves when the last request of everybody has ended, answered or not. */
    ended,
    counts: () => ({ answers, connections }),
    problems,
  }
}
