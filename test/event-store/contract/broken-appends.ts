import * as E from 'fp-ts/lib/Either.js'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import type { Appended, EventStore } from '../../../src/event-store/event-store.ts'
import { append, readAll } from '../new-events.ts'
import { always } from './broken-store.ts'
import type { Break } from './contract.ts'

/** Stores with broken appends, to prove that the contract's checks fail for them. */

type Append = EventStore['append']

const appending = (change: (store: EventStore, ...given: Parameters<Append>) => ReturnType<Append>): Break =>
  always((store) => ({
    append: (...given) => change(store, ...given),
  }))

const revisionOf = async (store: EventStore, stream: string): Promise<number> =>
  (await readAll(store, stream)).at(-1)?.revision ?? -1

export const ignoresExpected = appending(async (store, stream, _, events, secrets) => {
  for (;;) {
    const result = await append(store, stream, await revisionOf(store, stream), events, secrets)
    if (E.isRight(result) || result.left !== 'moved') return result
  }
})

export const splitsAppends = appending(async (store, stream, expected, events, secrets) => {
  let result: E.Either<never, Appended> | Awaited<ReturnType<Append>> = E.left('moved')
  for (const [index, event] of events.entries()) {
    result = await append(store, stream, expected + index, [event], secrets)
    if (E.isLeft(result)) return result
  }
  return result
})

export const writesBeforeRefusing = appending(async (store, stream, expected, events, secrets) => {
  const result = await append(store, stream, expected, events, secrets)
  if (E.isLeft(result)) await append(store, stream, await revisionOf(store, stream), events.slice(0, 1))
  return result
})

export const losesTheLastOfAnAppend = appending((store, stream, expected, events, secrets) =>
  append(store, stream, expected, events.length > 1 ? events.slice(0, -1) : events, secrets),
)

export const refusesRepeats: Break = () => {
  const ids = new Set<string>()
  return (store) => ({
    ...store,
    append: async (stream, expected, events, secrets) => {
      if (events.some(({ id }) => ids.has(id))) return E.left('moved')
      const result = await append(store, stream, expected, events, secrets)
      if (E.isRight(result)) for (const { id } of events) ids.add(id)
      return result
    },
  })
}

export const acceptsAnythingAsARepeat = appending(async (store, stream, expected, events, secrets) => {
  const result = await append(store, stream, expected, events, secrets)
  const there = await readAll(store, stream, expected)
  const last = there[events.length - 1]
  return E.isLeft(result) && last ? E.right({ revision: last.revision, storePosition: last.storePosition }) : result
})

export const acceptsASupersetAsARepeat = appending(async (store, stream, expected, events, secrets) => {
  const result = await append(store, stream, expected, events, secrets)
  const [first] = await readAll(store, stream, expected)
  return E.isLeft(result) && first?.id === events[0]?.id
    ? E.right({ revision: expected + events.length, storePosition: toStorePosition(0) })
    : result
})

export const returnsTheHead = appending(async (store, stream, expected, events, secrets) => {
  const result = await append(store, stream, expected, events, secrets)
  const last = (await readAll(store, stream)).at(-1)
  return E.isRight(result) && last ? E.right({ revision: last.revision, storePosition: last.storePosition }) : result
})

export const acceptsAnEmptyAppend = appending((store, stream, expected, events, secrets) =>
  events.length === 0
    ? Promise.resolve(E.right({ revision: expected, storePosition: toStorePosition(0) }))
    : append(store, stream, expected, events, secrets),
)

/** A failed append also fails all concurrent and later ones. */
export const failsTogether: Break = () => {
  let failure: unknown
  return (store) => ({
    ...store,
    append: async (...given) => {
      const result = store.append(...given).catch((error) => {
        failure = error
      })
      await new Promise(setImmediate)
      if (failure !== undefined) throw failure
      return (await result) ?? E.left('unknown')
    },
  })
}

export const losesSecrets = appending((store, stream, expected, events) => append(store, stream, expected, events))

export const keepsTheOldestSecret: Break = () => {
  const known = new Set<string>()
  return (store) => ({
    ...store,
    append: (stream, expected, events, secrets = []) => {
      const fresh = secrets.filter(({ owner, field }) => !known.has(`${owner}/${field}`))
      for (const { owner, field } of fresh) known.add(`${owner}/${field}`)
      return store.append(stream, expected, events, fresh)
    },
  })
}

export const keepsSecretsOfRefusedAppends = appending(async (store, stream, expected, events, secrets = []) => {
  await store.writeSecrets(secrets)
  return append(store, stream, expected, events)
})
