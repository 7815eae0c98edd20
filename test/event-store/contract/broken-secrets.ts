import { always } from './broken-store.ts'

/** Stores that replace or list secrets incorrectly. */

export const readsSecretsOfTheFirst = always((store) => ({
  readSecrets: (...owners) => store.readSecrets(...owners.slice(0, 1)),
}))

export const readsSecretsAsAsked = always((store) => ({
  readSecrets: async (...owners) => (await Promise.all(owners.map((owner) => store.readSecrets(owner)))).flat(),
}))

export const exchangesWhatHasChanged = always((store) => ({
  exchangeSecrets: async (exchanges) => store.writeSecrets(exchanges.flatMap(({ next }) => next ?? [])),
}))

export const keepsRemovedSecrets = always((store) => ({
  exchangeSecrets: (exchanges) => store.exchangeSecrets(exchanges.filter(({ next }) => next !== undefined)),
}))

export const exchangesOnlyTheFirst = always((store) => ({
  exchangeSecrets: (exchanges) => store.exchangeSecrets(exchanges.slice(0, 1)),
}))

export const exchangesIgnoringTheKey = always((store) => ({
  exchangeSecrets: async (exchanges) => {
    for (const { old, next } of exchanges) {
      const standing = (await store.readSecrets(old.owner)).find(
        ({ field, id }) => field === old.field && id === old.id,
      )
      if (standing !== undefined) await store.exchangeSecrets([{ old: standing, ...(next && { next }) }])
    }
  },
}))

export const listsSecretsOfEveryKey = always((store) => ({
  secretsSealedWith: async (keyId, after, limit) => [
    ...(await store.secretsSealedWith(keyId, after, limit)),
    ...(after === undefined ? await store.secretsSealedWith('k1', undefined, 1) : []),
  ],
}))

export const listsSecretsFromTheStart = always((store) => ({
  secretsSealedWith: (keyId, _, limit) => store.secretsSealedWith(keyId, undefined, limit),
}))

export const listsMoreSecretsThanAsked = always((store) => ({
  secretsSealedWith: (keyId, after, limit) => store.secretsSealedWith(keyId, after, limit + 1),
}))
