import { useEffect } from 'preact/hooks'
import { byId, MACHINES, readAll } from '../../data/lists.ts'
import type { Person, Sut } from '../../data/objects.ts'
import { NOTHING, ofKinds, type Source } from '../../data/query.ts'
import { type FeedEvent, sutIdOf } from '../../features/events/feed.ts'
import type { Reader } from '../../features/events/holes.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { outcomeOf } from '../../service/api.ts'

/** By id, in the order of their names. */
export interface Names {
  readonly people: ReadonlyMap<string, Person>
  readonly suts: ReadonlyMap<string, Pick<Sut, '_id' | 'name'>>
}

/** Before they were read. */
const NONE: Names = { people: new Map(), suts: new Map() }

const ASKED = 20
const NOBODY: ReadonlyMap<string, string> = new Map()

export const useNames = (): Names => {
  const { value: suts } = useReading(MACHINES)
  const { value: people } = useReading({
    ...{ key: 'all people', ...ofKinds('user') },
    read: async (source) => byId(await readAll<Person>(source, '/api/user?removed=true', 'users')),
  })
  return suts && people ? { people, suts } : NONE
}

/** The names of machines that are retired, as they were when an event was recorded. */
const useFormer = (events: readonly FeedEvent[], names: Names): ReadonlyMap<string, string> => {
  const entries = new Map<string, string>()
  for (const event of names === NONE ? [] : events) {
    const id = sutIdOf(event)
    if (id !== undefined && !names.suts.has(id) && !entries.has(id)) entries.set(id, event.sequence)
  }
  const nameAt = async (source: Source, id: string): Promise<readonly [string, string]> => {
    const { value, refused } = await outcomeOf(source.get(`/api/sut/${id}?as_of=${entries.get(id)}`))
    if (refused !== undefined && refused.status !== 404) throw refused
    return [id, value?.name ?? 'a machine']
  }
  const { value, readVisible } = useReading<ReadonlyMap<string, string>>({
    ...{ key: 'former machines', ...NOTHING },
    read: async (source, ids = [...entries.keys()].slice(0, ASKED), before = NOBODY) =>
      new Map([...before, ...(await Promise.all(ids.map((id) => nameAt(source, id))))]),
  })
  const missing = [...entries.keys()].filter((id) => value?.has(id) === false).slice(0, ASKED)
  useEffect(() => {
    if (missing.length > 0) readVisible(missing)
  }, [missing.join(), readVisible])
  return value ?? NOBODY
}

export const useReader = (events: readonly FeedEvent[], names: Names): Reader => {
  const former = useFormer(events, names)
  return {
    ownId: meOf(usePage())._id,
    nameOf: (id) => names.people.get(id)?.name,
    machineOf: (id) => {
      const sut = names.suts.get(id)
      return sut ? { machine: sut.name, id } : { machine: former.get(id) ?? 'a machine', id: undefined }
    },
  }
}
