import type { Client } from '../http/client.ts'
import { idOf } from '../http/harness.ts'
import { aReservation, createSut } from '../http/requests.ts'

const QUARTER = 900_000
const FIRST = Date.parse('2030-05-02T08:00:00Z')

/** The nth window; windows do not overlap. */
export const windowOf = (n: number): { readonly start_time: string; readonly end_time: string } => ({
  start_time: new Date(FIRST + n * QUARTER).toISOString(),
  end_time: new Date(FIRST + (n + 1) * QUARTER).toISOString(),
})

/** Writes `count` events in sequence: reservations of two users, and updates of the SUT. */
export const write = async (client: Client, sut: string, first: number, count: number): Promise<void> => {
  for (let n = first; n < first + count; n++) {
    const user_id = idOf(n % 2 === 0 ? 'alice' : 'bob')
    const { status, text } =
      n % 4 === 3
        ? await client.post(`/api/sut/${sut}/update`, { description: `change ${n}` })
        : await client.post('/api/sut_reservation/create', aReservation(sut, { user_id, ...windowOf(n) }))
    if (status >= 300) throw new Error(`${status} ${text}`)
  }
}

/** Two SUTs (four events), and `count` more events on the first. */
export const begin = async (client: Client, count: number): Promise<readonly [first: string, second: string]> => {
  const suts = [await createSut(client), await createSut(client)] as const
  await write(client, suts[0], 0, count)
  return suts
}
