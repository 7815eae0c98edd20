import { join } from 'node:path'
import { type Sample, type Server, startServer } from '../measure/processes.ts'
import { authorization, MAIN, SCRIPT } from '../servers/berth.ts'
import { type Answered, loadWell, writeLines } from '../servers/creating.ts'
import { quartersAhead } from './lab-history.ts'
import { environmentOf, type Seeded } from './seed.ts'

/** Starts the service over a lab's data. */
export const startOver = (data: string, start: typeof startServer = startServer): Promise<Server> =>
  start([MAIN, 'serve'], environmentOf(data))

/** Waits until a service has read its whole log. */
export const untilReady = async ({ url }: Server): Promise<void> => {
  while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Makes further reservations on a lab's SUTs, after the existing ones. */
export const makeBookings = (lab: Seeded) => {
  let quarter = quartersAhead(lab)
  let answered: Answered = { accepted: lab.made, cutOff: 0 }
  const { administrator: user_id } = lab.people
  return {
    /** As many as possible, in sequence on each connection. */
    many: async ({ url }: Server, suts: readonly string[], connections: number, seconds: number): Promise<Sample> => {
      const first = quarter * suts.length
      const args = [String(first), user_id, authorization, writeLines(join(lab.data, 'suts'), suts)]
      const taken = await loadWell(url, SCRIPT, connections, seconds, args)
      quarter = Math.ceil((first + taken.requests + 2 * connections) / suts.length) + 1
      answered = { accepted: answered.accepted + taken.requests, cutOff: answered.cutOff + connections }
      return taken
    },
    /** What the log must contain. */
    answered: (): Answered => answered,
  }
}

export interface Lab extends Seeded {
  readonly bookings: ReturnType<typeof makeBookings>
}
