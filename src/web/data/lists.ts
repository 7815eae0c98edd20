import type { Stretch } from '../features/schedule/calendar.ts'
import { toIso } from '../format/times.ts'
import type { Readable } from '../service/api.ts'
import { Refused } from '../service/api.ts'
import type { Reservation, Sut } from './objects.ts'

/** Lists of the interface, in as few requests as it allows. */

/** Entries of a page of a list, at most. */
const PAGE = 1_000
/** Machines of a request, at most. */
const SUTS = 100

/** Reads a list to its end. */
export const readAll = async <A extends { readonly _id: string }>(
  api: Readable,
  path: string,
  name: string,
): Promise<readonly A[]> => {
  const all: A[] = []
  for (let before = ''; ; ) {
    const { value } = await api.get(`${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}${before}`)
    const page = (value as Readonly<Record<string, readonly A[]>>)[name] ?? []
    all.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return all
    before = `&before=${encodeURIComponent(last._id)}`
  }
}

/** The reservations of a span: of some machines, or of all. */
export const readReservations = async (
  api: Readable,
  { from, to }: Stretch,
  sutIds?: readonly string[],
): Promise<readonly Reservation[]> => {
  const span = `from=${encodeURIComponent(toIso(from))}&to=${encodeURIComponent(toIso(to))}`
  const read = (of: string) => readAll<Reservation>(api, `/api/sut_reservation?${span}${of}`, 'sut_reservations')
  if (sutIds === undefined) return read('')
  const found: Reservation[] = []
  for (let n = 0; n < sutIds.length; n += SUTS)
    found.push(
      ...(await read(
        sutIds
          .slice(n, n + SUTS)
          .map((id) => `&sut_id=${encodeURIComponent(id)}`)
          .join(''),
      )),
    )
  return found
}

/** A machine; undefined for one that has left the scope. */
export const readSut = async (api: Readable, id: string): Promise<Sut | undefined> => {
  try {
    return (await api.get(`/api/sut/${encodeURIComponent(id)}?include=settings`)).value
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined
    throw error
  }
}
