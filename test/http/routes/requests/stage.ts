import type { ExecutionContext } from 'ava'
import type { Answer } from '../../client.ts'
import type { Lab } from '../../lab.ts'
import { lab } from '../../lab.ts'
import { until } from '../../until.ts'

const PATIENCE_MS = 60_000

/** A lab with one Windows machine, which is free, and short ways to ask for it. */
export const requestLab = async (t: ExecutionContext) => {
  const service = await lab(t, {}, { os: 'windows', name: 'win-1' })
  /** Asks for a quarter-hour of any Windows machine, unless the body says otherwise. */
  const wish = (who: string, more: object = {}, headers = {}): Promise<Answer> => {
    const body = { match: { os: 'windows' }, duration: 900, ...more }
    return service.ask(who, 'POST /api/sut_request/create', body, headers)
  }
  const at = ({ json }: Answer): string => `/api/sut_request/${json._id}`
  const read = async (made: Answer) => (await service.ask('audrey', `GET ${at(made)}`)).json
  const untilStatus = (made: Answer, status: string): Promise<void> => {
    const isSo = async (): Promise<boolean> => {
      service.tick()
      return (await read(made)).status === status
    }
    return until(status, isSo, PATIENCE_MS)
  }
  return { ...service, wish, at, read, untilStatus }
}

/** Lets bob have the machine for an hour. Returns how he gives it back. */
export const hold = async ({ ask, book }: Pick<Lab, 'ask' | 'book'>): Promise<() => Promise<Answer>> => {
  const { headers } = await book('bob', { start_in: 0, duration: 3_600 })
  return () => ask('bob', `POST ${headers.location}/cancel`)
}
