import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Wanted } from '../../domain/matching/candidates.ts'
import { makeFit, type Profile } from '../../domain/matching/fit.ts'
import { fits } from '../../domain/user/scope.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import type { KnownSut, KnownSuts } from './suts.ts'

/** Whether the SUT of each slot fits: 1 if so. Kept up to date by `refresh`. */
export interface Fitting {
  readonly flags: () => Uint8Array
  readonly refresh: () => void
}

/** Bytes of what is remembered. */
const KEPT_MAX = 16 * 1024 * 1024
/** SUTs compared in one turn of the event loop. */
const TURN_SIZE = 2_048

const grown = (flags: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> => {
  if (flags.length >= size) return flags
  const larger = new Uint8Array(Math.ceil(size * 1.5))
  larger.set(flags)
  return larger
}

const isInScopes = ({ tags }: Profile, scopes: Wanted['scopes']): boolean => scopes.every((scope) => fits(tags, scope))

/** Remembers which SUTs fit the criteria that were asked for last. */
export const makeFittings = (suts: KnownSuts): ((wanted: Wanted) => Promise<Fitting>) => {
  const kept = new LRUCache<string, Promise<Fitting>>({ maxSize: KEPT_MAX })

  const compare = async ({ criteria = {}, sut_id, scopes }: Wanted): Promise<Fitting> => {
    const isFit = makeFit(criteria)
    const fitsAll = (sut: KnownSut | undefined): boolean =>
      sut?.profile !== undefined &&
      (sut_id === undefined || sut._id === sut_id) &&
      isFit(sut.profile) &&
      isInScopes(sut.profile, scopes)
    let flags = new Uint8Array(0)
    const judge = (slot: number): void => {
      flags[slot] = fitsAll(suts.at(slot)) ? 1 : 0
    }
    const changed = suts.changes.follow()
    flags = grown(flags, suts.size())
    for (let slot = 0; slot < suts.size(); slot++) {
      if (slot > 0 && slot % TURN_SIZE === 0) await turn()
      flags = grown(flags, suts.size())
      judge(slot)
    }
    return {
      flags: () => flags,
      refresh: () => {
        flags = grown(flags, suts.size())
        for (const slot of changed()) judge(slot)
      },
    }
  }

  return (wanted) => {
    const { criteria = null, sut_id = null, scopes } = wanted
    const key = canonicalJson([criteria, sut_id, scopes])
    const known = kept.get(key)
    if (known !== undefined) return known
    const comparing = compare(wanted)
    kept.set(key, comparing, { size: 2 * key.length + suts.size() + 1 })
    return comparing
  }
}
