import { catalogue, nameOf } from '../routes/catalogue.ts'
import { type Asker, type Expected, MAY, type ScopedAsker } from './askers.ts'
import { TABLE } from './roles.ts'
import { expectedOf, type Way } from './ways.ts'

/** The table of the guide that shows what TABLE says, which the tests of roles assert cell by cell. */

type Who = Asker | ScopedAsker

/** What the state of a thing refuses, the same to everybody who may; the service of this test has no provider. */
const STATES = ['reservation_not_running', 'upgrade_required', 'oidc_not_configured']
const isRefused = (expected: Expected): boolean => expected !== MAY && !STATES.includes(String(expected[1]))

const cellOf = (route: string, [own, another, outside]: readonly Who[], way: Way): string => {
  const entry = TABLE[route]
  if (entry === undefined) throw new Error(`${route} is not in the table`)
  const isMay = (who: Who | undefined): boolean => {
    const expected = who && expectedOf(route, entry, who, way)
    return expected !== undefined && !isRefused(expected)
  }
  if (!isMay(own)) return 'no'
  if (!isMay(another)) return 'own'
  return outside === undefined || isMay(outside) ? 'yes' : 'in scope'
}

const who = (role: string): readonly [Asker, Asker] => [
  `${role} (own reservation)` as Asker,
  `${role} (another’s reservation)` as Asker,
]
const SCOPED = [
  'a tester with a scope (own reservation)',
  'a tester with a scope (another’s reservation)',
  'a tester with a scope (another’s reservation outside)',
] as const

/** Routes as the guide writes them. */
const written = (route: string): string =>
  `\`${route.replace(/:(\w+)/g, (_, name) => `<${name === 'token' ? 'token id' : name}>`)}\``

const rowOf = (route: string): string => {
  const nobody = TABLE[route]?.withoutCredentials
  const cells = [
    written(route),
    nobody === undefined || isRefused(nobody) ? 'no' : 'yes',
    ...[who('a tester'), SCOPED, who('an auditor'), who('an administrator')].map((whom) =>
      cellOf(route, whom, 'session'),
    ),
    cellOf(route, who('an administrator'), 'token'),
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = '| operation | nobody | tester | tester with a scope | auditor | administrator | its token |'

/** One row for each route. */
export const matrix = (): string =>
  [HEAD, HEAD.replace(/[^|]+/g, '---'), ...catalogue.map((route) => rowOf(nameOf(route)))].join('\n')

/** A text with the table between its head and the next empty line. */
export const withMatrix = (text: string): string => {
  const start = text.indexOf(HEAD)
  if (start === -1) throw new Error('the text has no such table')
  const end = text.indexOf('\n\n', start)
  return text.slice(0, start) + matrix() + text.slice(end === -1 ? text.length : end)
}
