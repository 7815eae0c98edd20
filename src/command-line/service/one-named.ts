import * as E from 'fp-ts/lib/Either.js'
import { foldName, meantBy } from '../../domain/values/user-name.ts'

/**
 * The one that a name on the command line means, in any case unless one has exactly that name. Undefined: there is none.
 * Left: which ones are meant.
 *
 * @param what they are, in the plural
 */
export const oneNamed = <A extends { readonly _id: string; readonly name: string }>(
  what: string,
  typed: string,
  all: readonly A[],
): E.Either<string, A | undefined> => {
  const folded = foldName(typed)
  const alike = all.filter(({ name }) => foldName(name) === folded)
  const same = alike.filter(({ name }) => name === typed)
  const meant = same.length > 0 ? same : meantBy(typed, alike, ({ name }) => name)
  if (meant.length < 2) return E.right(meant[0])
  const ids = meant.map(({ _id }) => _id).join(', ')
  return E.left(`several ${what} have the name ${JSON.stringify(typed)}; use an id: ${ids}`)
}

/** The id that a name means. Those that are retired or removed count only if no other has the name. */
export const idOfNamed = (
  typed: string,
  all: readonly { readonly _id: string; readonly name: string; readonly isGone: boolean }[],
): E.Either<string, string | undefined> => {
  for (const isGone of [false, true]) {
    const candidates = all.filter((each) => each.isGone === isGone)
    const found = oneNamed('SUTs or users', typed, candidates)
    if (E.isLeft(found)) return found
    if (found.right !== undefined) return E.right(found.right._id)
  }
  return E.right(undefined)
}
