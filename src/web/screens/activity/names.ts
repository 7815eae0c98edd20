import { useEffect, useState } from 'preact/hooks'
import { MACHINES, readAll } from '../../data/lists.ts'
import type { Person, Sut } from '../../data/objects.ts'
import { ofKinds } from '../../data/query.ts'
import { type FeedEvent, sutIdOf } from '../../features/events/feed.ts'
import type { Reader } from '../../features/events/holes.ts'
import { meOf, usePage } from '../../page/context.ts'
import { useReading } from '../../page/use-reading.ts'
import { outcomeOf } from '../../service/api.ts'

export interface Names {
  readonly people: readonly Person[]
  readonly suts: readonly Pick<Sut, '_id' | 'name'>[]
  readonly isLoaded: boolean
}

const NONE: Names = { people: [], suts: [], isLoaded: false }

const ASKED = 20

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name.localeCompare(b.name, undefined, { numeric: true })

export const useNames = (): Names => {
  const { value: suts } = useReading(MACHINES)
  const { value: people } = useReading({
    ...{ key: 'all people', ...ofKinds('user') },
    read: async (source) => (await readAll<Person>(source, '/api/user?removed=true', 'users')).toSorted(byName),
  })
  return suts && people ? { people, suts: [...suts.values()], isLoaded: true } : NONE
}

/** The names of machines that are retired, as they were when an event was recorded. */
const useFormer = (events: readonly FeedEvent[], { suts, isLoaded }: Names): ReadonlyMap<string, string> => {
  const { api, control } = usePage()
  const isAnswered = control.isAnswered.value
  const [former, setFormer] = useState<ReadonlyMap<string, string>>(new Map())
  const present = new Set(suts.map(({ _id }) => _id))
  const missing = new Map<string, string>()
  if (isLoaded)
    for (const event of events) {
      const id = sutIdOf(event)
      if (id !== undefined && !present.has(id) && !former.has(id) && !missing.has(id)) missing.set(id, event.sequence)
    }
  const asked = [...missing].slice(0, ASKED)
  useEffect(() => {
    if (asked.length === 0) return
    const nameAt = async ([id, sequence]: readonly [string, string]): Promise<
      readonly [string, string] | undefined
    > => {
      const { value, refused } = await outcomeOf(api.get(`/api/sut/${id}?as_of=${sequence}`))
      if (refused === undefined) return [id, value.name]
      return refused.status === 404 ? [id, 'a machine'] : undefined
    }
    void Promise.all(asked.map(nameAt)).then((found) =>
      setFormer((before) => new Map([...before, ...found.filter((each) => each !== undefined)])),
    )
  }, [asked.map(([id]) => id).join(), isAnswered])
  return former
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
