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
