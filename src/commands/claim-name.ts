import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/failure.ts'

/** The names of users, which events do not have. */
export interface KnownNames {
  /** Names of present users, folded, by the id of their secret. */
  readonly names: () => ReadonlyMap<string, string>
  readonly refresh: () => Promise<void>
}

/** Readings of names before the command fails. Each is needed only if another user got a name meanwhile. */
const ATTEMPTS_MAX = 16

/**
 * Runs a command that gives a user a name. It is decided on the names known, and the append's revision guards the
 * decision. If the stream has users whose names are not known yet, these are read and it is run again.
 */
export const runKnowingNames = async <A>(
  known: KnownNames,
  run: (names: ReadonlyMap<string, string>) => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure, A>> => {
  for (let attempt = 1; ; attempt++) {
    const names = known.names()
    const result = await run(names)
    if (E.isRight(result) || result.left.code !== 'unavailable' || attempt === ATTEMPTS_MAX) return result
    await known.refresh()
    // No name was missing: the store is unavailable.
    if (known.names() === names) return result
  }
}
