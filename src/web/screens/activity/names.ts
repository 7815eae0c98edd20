import { useEffect } from 'preact/hooks'
import { MACHINES, readAll } from '../../data/lists.ts'
import type { Person, Sut } from '../../data/objects.ts'
import { NOTHING, ofKinds, type Source } from '../../data/query.ts'
import { type FeedEvent, sutIdOf } from '../../features/events/feed.ts'
import type { Reader } from '../../features/events/holes.ts'
import { compareNames } from '../../format/format.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { outcomeOf } from '../../service/api.ts'

export interface Names {
  readonly people: readonly Person[]
  readonly suts: readonly Pick<Sut, '_id' | 'name'>[]
  readonly isLoaded: boolean
}

const NONE: Names = { people: [], suts: [], isLoaded: false }

const ASKED = 20
const NOBODY: ReadonlyMap<string, string> = new Map()

export const useNames = (): Names => {
  const { value: suts } = useReading(MACHINES)
  const { value: people } = useReading({
    ...{ key: 'all people', ...ofKinds('user') },
    read: async (source) =>
      (await readAll<Person>(source, '/api/user?removed=true', 'users')).toSorted((a, b) =>
        compareNames(a.name, b.name),
      ),
  })
  return suts && people ? { people, suts: [...suts.values()], isLoaded: true } : NONE
}

/** The names of machines that are retired, as they were when an event was recorded. */
const useFormer = (events: readonly FeedEvent[], { suts, isLoaded }: Names): ReadonlyMap<string, string> => {
  const present = new Set(suts.map(({ _id }) => _id))
  const entries = new Map<string, string>()
  for (const event of isLoaded ? events : []) {
    const id = sutIdOf(event)
    if (id !== undefined && !present.has(id) && !entries.has(id)) entries.set(id, event.sequence)
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
  const ownId = meOf(usePage())._id
  const former = useFormer(events, names)
  const people = new Map(names.people.map(({ _id, name }) => [_id, name]))
  const suts = new Map(names.suts.map(({ _id, name }) => [_id, name]))
  return {
    ownId,
    nameOf: (id) => people.get(id),
    machineOf: (id) => {
      const name = suts.get(id)
      return name === undefined ? { machine: former.get(id) ?? 'a machine', id: undefined } : { machine: name, id }
    },
  }
}
