import * as E from 'fp-ts/lib/Either.js'
import { parseScope, type Scope } from '../../domain/user/scope.ts'
import { readPassword } from '../people/password.ts'
import { type CommandArguments, type OptionValue, type Terminal, textOptions, WrongUsage } from '../terminal/command.ts'

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

type Field = keyof typeof TEXTS | keyof typeof VALUES

export const FIELD_OPTIONS = {
  ...textOptions(...(Object.keys({ ...TEXTS, ...VALUES }) as Field[])),
  'password-stdin': { type: 'boolean' },
} as const

export const FIELDS_HELP = `--type is vnc, rdp or tcp, --active true or false. --turnaround is in seconds, rounded up to quarter-hours,
--release-unused-after in seconds, 0 for never. With --password-stdin the password of the SUT is read from standard
input, without one trailing line break; the user name and the password are stored encrypted and shown to nobody.`

/** A value as JSON has it. What is neither a number nor true or false stays a text, which the service names as wrong. */
export const toValue = (text: string): unknown =>
  /^\d{1,15}$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text

/** The fields that were typed, and the password on standard input. @throws CommandFailure */
export const readFields = async ({ options }: CommandArguments, terminal: Terminal): Promise<object> => {
  const typed = (names: Readonly<Record<string, string>>, read: (text: string) => unknown) =>
    Object.entries(names).flatMap(([option, field]) =>
      options[option] === undefined ? [] : [[field, read(String(options[option]))]],
    )
  const fields = Object.fromEntries([...typed(TEXTS, (text) => text), ...typed(VALUES, toValue)])
  if (options['password-stdin'] !== true) return fields
  return { ...fields, password: await readPassword(terminal) }
}

/** Reads tags as typed. @throws WrongUsage */
export const readTags = (typed: OptionValue): Scope | undefined => {
  const read = typeof typed === 'string' ? parseScope(typed) : undefined
  if (read !== undefined && E.isLeft(read)) throw new WrongUsage(`the tags ${read.left}`)
  return read?.right
}
