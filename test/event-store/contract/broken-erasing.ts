import type { SealedSecret } from '../../../src/domain/sealed-secret.ts'
import { always } from './broken-store.ts'
import type { Break } from './contract.ts'

/** Stores that erase secrets incorrectly, or confuse the secrets of users. */

export const erasesNothing = always(() => ({ eraseSecrets: async () => undefined }))

export const erasesOneField = always((store) => ({
  eraseSecrets: async (owner) => {
    const [first] = await store.readSecrets(owner)
    if (first !== undefined) await store.exchangeSecrets([{ old: first }])
  },
}))

/** Erases everything sealed with the same keys. */
export const erasesOthersToo = always((store) => ({
  eraseSecrets: async (owner) => {
    const keys = new Set((await store.readSecrets(owner)).map(({ key_id }) => key_id))
    for (const key of keys) {
      for (const secret of await store.secretsSealedWith(key, undefined, 100)) await store.eraseSecrets(secret.owner)
    }
  },
}))

export const failsWithoutSecrets = always((store) => ({
  eraseSecrets: async (owner) => {
    if ((await store.readSecrets(owner)).length === 0) throw new Error('no such owner')
    await store.eraseSecrets(owner)
  },
}))

/** Remembers what was erased, in `erased`, and whether the store has been reopened. */
const remembering = (
  read: (kept: readonly SealedSecret[], erased: readonly SealedSecret[]) => readonly SealedSecret[],
) =>
  ((): ReturnType<Break> => {
    const erased = new Map<string, readonly SealedSecret[]>()
    return (store) => ({
      ...store,
      eraseSecrets: async (owner) => {
        erased.set(owner, [...(erased.get(owner) ?? []), ...(await store.readSecrets(owner))])
        await store.eraseSecrets(owner)
      },
      readSecrets: async (owner) => read(await store.readSecrets(owner), erased.get(owner) ?? []),
    })
  }) satisfies Break

/** As a tombstone would. */
export const keepsNoLaterSecrets = remembering((kept, erased) => (erased.length > 0 ? [] : kept))

/** Erased fields come back with the next secret. */
export const bringsErasedBack = remembering((kept, erased) =>
  kept.length === 0 ? kept : [...erased.filter(({ field }) => kept.every((each) => each.field !== field)), ...kept],
)

export const erasesUntilReopened: Break = () => {
  const erased = new Set<string>()
  let opened = 0
  return (store) => {
    if (opened++ > 0) return store
    return {
      ...store,
      eraseSecrets: async (owner) => void erased.add(owner),
      readSecrets: async (owner) => (erased.has(owner) ? [] : store.readSecrets(owner)),
      secretsSealedWith: async (...page) =>
        (await store.secretsSealedWith(...page)).filter(({ owner }) => !erased.has(owner)),
      exchangeSecrets: (exchanges) => store.exchangeSecrets(exchanges.filter(({ old }) => !erased.has(old.owner))),
    }
  }
}

export const stillListsErased = always((store) => {
  const erased: SealedSecret[] = []
  return {
    eraseSecrets: async (owner) => {
      erased.push(...(await store.readSecrets(owner)))
      await store.eraseSecrets(owner)
    },
    secretsSealedWith: async (keyId, after, limit) => [
      ...(await store.secretsSealedWith(keyId, after, limit)),
      ...erased.filter(({ key_id }) => key_id === keyId),
    ],
  }
})

/** Restores a former secret whose exchange was decided before it was erased. */
export const exchangesErased = always((store) => ({
  exchangeSecrets: (exchanges) => store.writeSecrets(exchanges.flatMap(({ next }) => next ?? [])),
}))

export const knowsOnlySuts = always((store) => ({
  readSecrets: async (owner) => (owner.startsWith('user:') ? [] : store.readSecrets(owner)),
}))

/** Takes the last colon for the end of the kind. */
export const confusesColons = always((store) => ({
  readSecrets: (owner) => store.readSecrets(owner.replace(/^user:.*:/, 'user:')),
}))

/** Does not check whether the event of a secret was written. */
export const keepsSecretsWithoutTheirEvent = always((store) => ({
  append: async (stream, expected, events, secrets = []) => {
    await store.writeSecrets(secrets)
    return store.append(stream, expected, events)
  },
}))
