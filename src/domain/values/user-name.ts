import { classExcluding, DEFAULT_IGNORABLE, INVISIBLE, single, WHITE_SPACE } from './characters.ts'
import { mixesScripts } from './scripts.ts'

export const REFUSED_IN_NAMES = [...INVISIBLE, ...DEFAULT_IGNORABLE, single(':')]
const ENDS = `[${classExcluding([...REFUSED_IN_NAMES, ...WHITE_SPACE])}]`

/** 1 to 128 visible characters. RFC 7617 separates name and password at the first colon. */
export const NEW_USER_NAME = new RegExp(`^${ENDS}(?:[${classExcluding(REFUSED_IN_NAMES)}]{0,126}${ENDS})?$`, 'u')

/** How tokens begin, which are sent in place of a name. Only ASCII letters fold to these. */
export const TOKEN_PREFIX = /^[bB][eE][rR][tT][hH]_/

/** Whether a user may be given this name. Users keep names that were accepted before. */
export const isNewUserName = (name: string): boolean =>
  NEW_USER_NAME.test(name) && !TOKEN_PREFIX.test(name.normalize('NFKC')) && !mixesScripts(name)

/** All but dotless i, which folds to itself although its upper case is I. */
const NOT_DOTLESS = /[^ı]+/gu
/** The small letters of Cherokee, the one script that folds to capitals since these were encoded first. */
const CHEROKEE_SMALL = /[\u13f8-\u13fd\uab70-\uabbf]+/gu

/**
 * Full case folding: C and F of Unicode's CaseFolding.txt, without the Turkic T. The engine has only the mappings to
 * lower and upper case; the tests compare with Unicode's data for every character.
 */
export const foldCase = (text: string): string =>
  text
    // The first step is for capitals without an upper case mapping, such as ẞ.
    .replace(NOT_DOTLESS, (run) => run.toLowerCase().toUpperCase().toLowerCase())
    // At the end of a word the engine makes ς of Σ.
    .replaceAll('ς', 'σ')
    .replace(CHEROKEE_SMALL, (run) => run.toUpperCase())

/**
 * Equal for names that are a canonical caseless match (Unicode, D145): it decomposes before folding, since a composed
 * iota subscript would become a letter in another place. Case and accents' spelling do not matter, accents do.
 */
const foldCanonically = (name: string): string => foldCase(name.normalize('NFD')).normalize('NFC')

/**
 * What is compared of names. Equal for names that are a compatibility caseless match (Unicode, D146): forms of letters,
 * such as full width, do not matter either.
 */
export const foldName = (name: string): string =>
  foldCase(foldCase(name.normalize('NFD')).normalize('NFKD')).normalize('NFKC')

/**
 * Those that a name means, of things whose names fold alike. More than one only among users who had their names when
 * forms of letters still mattered, and if the name is none of theirs.
 */
export const meantBy = <A>(name: string, alike: readonly A[], nameOf: (one: A) => string): readonly A[] => {
  if (alike.length < 2) return alike
  const canonical = foldCanonically(name)
  const exact = alike.filter((one) => foldCanonically(nameOf(one)) === canonical)
  return exact.length > 0 ? exact : alike
}

/**
 * Actors that are no users, the words of routes and output, and what clients leave out of a path before they send it. New
 * users cannot have these ids.
 */
export const RESERVED_USER_IDS: readonly string[] = [
  'berth',
  'schedule',
  'gateway',
  'monitor',
  'oidc',
  'command-line',
  '-',
  'me',
  'create',
  'import',
  '.',
  '..',
]
