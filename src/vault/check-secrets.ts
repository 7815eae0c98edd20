import * as E from 'fp-ts/lib/Either.js'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import type { EventStore } from '../event-store/event-store.ts'
import type { ExpectedSecret, ExpectedSecrets } from './expected-secrets.ts'
import type { KeyRing } from './keys.ts'
import { withoutChecks } from './needs.ts'
import { openSecret } from './vault.ts'

/** Something in the vault that is not as the log says: where in the log, or null for what no event names. */
export interface SecretFinding {
  readonly position: number | null
  /** One sentence; nothing of a secret. */
  readonly what: string
}

/** What came of looking at the secrets of a SUT. */
export interface CheckedSut {
  readonly opened: number
  /** The ids of the keys, one for each secret, that are not at hand. */
  readonly unopened: readonly string[]
  readonly findings: readonly SecretFinding[]
}

type Store = Pick<EventStore, 'readSecrets' | 'secretsSealedWith'>

const NOTHING: ReadonlyMap<string, ExpectedSecret> = new Map()

/** What is wrong with a secret that an event names; undefined where its key is not at hand, or nothing is. */
const findProblem = (ring: KeyRing, name: string, { id }: ExpectedSecret, secret: SealedSecret | undefined) => {
  if (secret === undefined) return `${name} is not in the vault`
  if (secret.id !== id) return `${name} in the vault is of another change than this event`
  if (!ring.keys.some((key) => key.id === secret.key_id)) return undefined
  const opened = openSecret(ring, secret)
  return E.isLeft(opened) ? `${name} cannot be opened: ${opened.left}` : undefined
}

/**
 * Whether the secrets of a SUT are there, open with their keys and are its own: all of that is sealed into them. Without a
 * key at hand only whether they are there.
 */
export const checkSut = async (
  store: Store,
  ring: Pick<KeyRing, 'keys'>,
  sutId: string,
  fields: ReadonlyMap<string, ExpectedSecret> = NOTHING,
): Promise<CheckedSut> => {
  const kept = await store.readSecrets(sutId)
  const findings: SecretFinding[] = []
  const unopened: string[] = []
  let opened = 0
  for (const [field, standing] of fields) {
    const secret = kept.find((each) => each.field === field && each.sut_id === sutId)
    const what = findProblem(ring as KeyRing, `the ${field} of the SUT ${sutId}`, standing, secret)
    const isAtHand = secret !== undefined && ring.keys.some((key) => key.id === secret.key_id)
    if (what !== undefined) findings.push({ position: standing.position, what })
    else if (isAtHand) opened++
    else unopened.push(String(secret?.key_id))
  }
  for (const { field } of kept.filter((each) => !fields.has(each.field))) {
    findings.push({ position: null, what: `the vault has a ${field} of the SUT ${sutId} that no event has set` })
  }
  return { opened, unopened, findings }
}

/** Secrets listed at a time. */
const PAGE = 500

/** SUTs that the vault has secrets of, sealed with these keys, and that no event gave any. */
export const findUnknownOwners = async (
  store: Store,
  keyIds: Iterable<string>,
  { suts }: ExpectedSecrets,
): Promise<readonly string[]> => {
  const unknown = new Set<string>()
  for (const keyId of keyIds) {
    let page = await store.secretsSealedWith(keyId, undefined, PAGE)
    while (page.length > 0) {
      for (const { sut_id } of withoutChecks(page)) if (!suts.has(sut_id)) unknown.add(sut_id)
      page = await store.secretsSealedWith(keyId, page.at(-1), PAGE)
    }
  }
  return [...unknown]
}
