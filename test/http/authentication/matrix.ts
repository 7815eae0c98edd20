import type { Route } from '../../../src/http/protocol/route.ts'
import { catalogue, nameOf } from '../routes/catalogue.ts'
import { ASKERS, type Expected, expectedOf, expectedOfNobody, MAY, type Way } from './roles.ts'

/** The table of the guide that shows what the tests of roles assert cell by cell. */

/** What the state of a thing refuses, the same to everybody who may; the service of this test has no provider. */
const STATES = ['reservation_not_running', 'upgrade_required', 'oidc_not_configured']
const isRefused = (expected: Expected | undefined): boolean =>
  expected !== MAY && !STATES.includes(String(expected?.[1]))

const cellOf = (route: Route, name: string, way: Way): string => {
  const may = ASKERS.filter((asker) => asker.name === name).map((asker) => !isRefused(expectedOf(route, asker, way)))
  if (may.every((each) => each)) return 'yes'
  const [own, another] = may
  if (!own) return 'no'
  return another ? 'in scope' : 'own'
}

const rowOf = (route: Route): string => {
  const written = nameOf(route).replace(/:(\w+)/g, (_, name) => `<${name === 'token' ? 'token id' : name}>`)
  const cells = [
    `\`${written}\``,
    isRefused(expectedOfNobody(route)) ? 'no' : 'yes',
    ...['alice', 'scott', 'audrey', 'admin'].map((name) => cellOf(route, name, 'session')),
    cellOf(route, 'admin', 'token'),
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = '| operation | nobody | tester | tester with a scope | auditor | administrator | its token |'

/** A text with the table, one row for each route, between its head and the next empty line. */
export const withMatrix = (text: string): string => {
  const start = text.indexOf(HEAD)
  if (start === -1) throw new Error('the text has no such table')
  const end = text.indexOf('\n\n', start)
  const matrix = [HEAD, HEAD.replace(/[^|]+/g, '---'), ...catalogue.map(rowOf)].join('\n')
  return text.slice(0, start) + matrix + text.slice(end === -1 ? text.length : end)
}
