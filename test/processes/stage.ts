import { type Setting, start, type Tidying } from '../http/harness.ts'
import { aReservation, createSut, reserved } from '../http/requests.ts'

/** A moment on the day of these tests. */
export const at = (time: string): string => `2030-05-02T${time}Z`

/** The digits of an id by which descriptions name it. */
export const last = (id: string): string => id.slice(-4)

/** A service at 05:50 with a SUT. */
export const stage = async (t: Tidying, setting: Setting = {}) => {
  const service = await start(t, { now: at('05:50:00.000'), ...setting })
  const sut_id = await createSut(service.as('admin'))
  const book = async (from: string, to: string, sut = sut_id): Promise<string> => {
    const window = { start_time: at(`${from}:00`), end_time: at(`${to}:00`) }
    return String((await reserved(service.as('alice'), aReservation(sut, window))).json._id)
  }
  return { service, sut_id, book, alice: service.as('alice'), admin: service.as('admin') }
}
