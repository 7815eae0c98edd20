import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/lib/Either.js'
import { parseScope, type Scope } from '../../domain/user/scope.ts'
import type { CommandArguments, OptionValue, Terminal } from '../terminal/command.ts'

/** The options that become fields of a SUT as they are. */
const TEXTS = {
  ...{ address: 'address', type: 'sut_type', description: 'description', manufacturer: 'manufacturer' },
  ...{ model: 'model', os: 'os', version: 'version', 'user-name': 'user_name' },
} as const
/** Those whose values are numbers or true and false. */
const VALUES = {
  ...{ port: 'port', active: 'is_active', 'rdp-width': 'rdp_width', 'rdp-height': 'rdp_height' },
  ...{ turnaround: 'turnaround', 'release-unused-after': 'release_unused_after' },
} as const

export const FIELD_OPTIONS = {
  ...(Object.fromEntries(Object.keys({ ...TEXTS, ...VALUES }).map((name) => [name, { type: 'string' }])) as Record<
    keyof typeof TEXTS | keyof typeof VALUES,
    { readonly type: 'string' }
  >),
  'password-stdin': { type: 'boolean' },
} as const

export const FIELDS_HELP = `--type is vnc, rdp or tcp, --active true or false. --turnaround is in seconds, rounded up to quarter-hours,
--release-unused-after in seconds, 0 for never. With --password-stdin the password of the SUT is read from standard
input, without one trailing line break; the user name and the password are stored encrypted and shown to nobody.`

/** A value as JSON has it. What is neither a number nor true or false stays a text, which the service names as wrong. */
export const toValue = (text: string): unknown =>
  /^\d{1,15}$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text

/** The fields that were typed. Left: what is wrong with the password on standard input. */
export const readFields = async (
  { options }: CommandArguments,
  terminal: Terminal,
): Promise<E.Either<string, object>> => {
  const texts = Object.entries(TEXTS).flatMap(([option, field]) =>
    options[option] === undefined ? [] : [[field, options[option]]],
  )
  const values = Object.entries(VALUES).flatMap(([option, field]) =>
    options[option] === undefined ? [] : [[field, toValue(String(options[option]))]],
  )
  const fields = Object.fromEntries([...texts, ...values])
  if (options['password-stdin'] !== true) return E.right(fields)
  const bytes = Buffer.from(await terminal.stdin())
  if (!isUtf8(bytes)) return E.left('the password on standard input is not in UTF-8')
  // `echo` adds a line break.
  return E.right({ ...fields, password: bytes.toString().replace(/\r?\n$/, '') })
}

/** Reads tags as typed. Left completes the sentence "the tags ...". */
export const readTags = (typed: OptionValue): E.Either<string, Scope | undefined> =>
  typeof typed === 'string' ? parseScope(typed) : E.right(undefined)
