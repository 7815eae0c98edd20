import { classExcluding } from '../values/characters.ts'
import { foldName, isNewUserName, REFUSED_IN_NAMES, TOKEN_PREFIX } from '../values/user-name.ts'

const REFUSED = new RegExp(`[^${classExcluding(REFUSED_IN_NAMES)}]+`, 'gu')

/** Characters of a fitted name, which leaves room for a number. */
const LENGTH_MAX = 120

/** A name given elsewhere, in which characters that a name cannot have became `-`. Undefined if nothing is left. */
export const visibleName = (text: string): string | undefined => {
  const visible = text.toWellFormed().normalize('NFC').replace(REFUSED, '-').trim()
  return [...visible].slice(0, LENGTH_MAX).join('').trim() || undefined
}

/** A name given elsewhere, made to fit the rules of user names. Undefined if nothing is left, or it mixes scripts. */
export const fitUserName = (text: string): string | undefined => {
  const visible = visibleName(text)
  if (visible === undefined) return undefined
  const name = TOKEN_PREFIX.test(visible.normalize('NFKC')) ? `user-${visible}` : visible
  return isNewUserName(name) ? name : undefined
}

/** The name, or the first of `name-2`, `name-3` and so on that is none of these folded names. */
export const freeName = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(foldName(name))) return name
  for (let n = 2; ; n++) if (!taken.has(foldName(`${name}-${n}`))) return `${name}-${n}`
}
