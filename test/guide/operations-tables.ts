/** The two tables of the guide's chapter on HTTP, made from the routes. */

import { mediaTypesOf, type Route } from '../../src/http/protocol/route.ts'
import { ASKERS, type Expected, expectedOf, expectedOfNobody, MAY, type Way } from '../http/authentication/roles.ts'
import { catalogue, nameOf } from '../http/routes/catalogue.ts'

/** `GET /api/sut/<id>` for a route with `:id`. */
const written = (route: Route): string =>
  `\`${nameOf(route).replace(/:(\w+)/g, (_, name) => `<${name === 'token' ? 'token id' : name}>`)}\``

const OPERATIONS = '|operation|what it does|answer|'

/** The names of its schemas in OpenAPI, or else its media types. */
const answerOf = (route: Route): string => {
  if (route.isUpgrade) return '101'
  const names = [...JSON.stringify(route.answer).matchAll(/schemas\/(\w+)/g)].map(([, name]) => name)
  const types = mediaTypesOf(route).map((type) => type.replace(/;.*/, ''))
  return `${route.isCreation ? 201 : 200} ${[...names, ...types.slice(names.length > 0 ? 1 : 0)].join(', ')}`
}

const operationRow = (route: Route): string => {
  const { summary, guide } = route
  return `|${written(route)}|${guide === undefined ? summary : `[${summary}](${guide})`}|${answerOf(route)}|`
}

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

const MATRIX = '|operation|tester|tester with a scope|auditor|administrator|its token|'

/** What the tests of roles assert, cell by cell. */
const matrixRow = (route: Route): string => {
  const people = ['alice', 'scott', 'audrey', 'admin'].map((name) => cellOf(route, name, 'session'))
  return `|${[written(route), ...people, cellOf(route, 'admin', 'token')].join('|')}|`
}

/** A text with these rows between the head of a table and the next empty line. */
const withRows = (text: string, head: string, rows: readonly string[]): string => {
  const start = text.indexOf(head)
  if (start === -1) throw new Error(`the text has no table ${head}`)
  const end = text.indexOf('\n\n', start)
  return text.slice(0, start) + [head, head.replace(/[^|]+/g, '---'), ...rows].join('\n') + text.slice(end)
}

/** The chapter with both tables: one row for each operation, and one for each that needs credentials. */
export const withOperations = (chapter: string): string => {
  const restricted = catalogue.filter((route) => isRefused(expectedOfNobody(route)))
  return withRows(withRows(chapter, OPERATIONS, catalogue.map(operationRow)), MATRIX, restricted.map(matrixRow))
}
