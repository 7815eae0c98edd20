import { foldName, meantBy } from '../../domain/values/user-name.ts'
import { CommandFailure } from '../terminal/command.ts'

interface Named {
  readonly _id: string
  readonly name: string
}

/**
 * The one that a name on the command line means, in any case unless one has exactly that name; undefined if there is
 * none.
 *
 * @param what they are, in the plural
 * @throws CommandFailure if several are meant
 */
export const oneNamed = <A extends Named>(what: string, typed: string, all: readonly A[]): A | undefined => {
  const folded = foldName(typed)
  const alike = all.filter(({ name }) => foldName(name) === folded)
  const same = alike.filter(({ name }) => name === typed)
  const meant = same.length > 0 ? same : meantBy(typed, alike, ({ name }) => name)
  if (meant.length < 2) return meant[0]
  const ids = meant.map(({ _id }) => _id).join(', ')
  throw new CommandFailure(`several ${what} have the name ${JSON.stringify(typed)}; use an id: ${ids}`)
}

/** The id that a name means. Those that are retired or removed count only if no other has the name. */
export const idOfNamed = (
  typed: string,
  all: readonly (Named & { readonly isGone: boolean })[],
): string | undefined => {
  const among = (isGone: boolean): Named | undefined =>
    oneNamed(
      'SUTs or users',
      typed,
      all.filter((each) => each.isGone === isGone),
    )
  return (among(false) ?? among(true))?._id
}
